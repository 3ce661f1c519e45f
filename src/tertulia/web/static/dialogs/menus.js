/** The menus of the organization, the account and the open view. */

import {
  withErrorToast,
  copyHash,
  leaveChannel,
  setSubscription,
  setTopicPolicy,
  toggleMute,
  toggleResolved,
} from "../views/message_actions.js";
import { logOut } from "../core/account_data.js";
import { get, patch, post } from "../core/api.js";
import { statusEmoji } from "../views/avatars.js";
import { channels } from "../state/channels.js";
import { runCommand } from "../views/commands.js";
import { isInChannel, isResolved } from "../state/conversations.js";
import { isSpectator, myId, realm, setting, state } from "../state/session.js";
import { channelHash, conversationHash } from "../state/narrow.js";
import { currentRoute } from "../core/router.js";
import { region, toast } from "../views/layout.js";
import { FOLLOWED, INHERIT, isFollowed, isTopicMuted } from "../state/topics.js";
import { t } from "../core/i18n.js";
import { formatDate } from "../views/time.js";
import { confirmAction } from "./dialog.js";
import { openMenu } from "./popover.js";
import { summarizeTopic } from "./topic_summary.js";

/** @param {import("../views/commands.js").CommandContext} context */
export function orgMenu({ element }) {
  const goTo = (/** @type {string} */ hash) => () => {
    location.hash = hash;
  };
  if (isSpectator())
    return void openMenu(element, t("menu.organization"), [
      { icon: "logout", text: t("spectator.log-in"), act: () => location.assign("/login/") },
    ]);
  openMenu(element, t("menu.organization"), [
    { icon: "list", text: t("view.channels"), act: goTo("#channels") },
    { icon: "people", text: t("view.members"), act: goTo("#members") },
    { icon: "people", text: t("groups.title"), act: goTo("#organization/groups") },
    { icon: "later", text: t("view.later"), act: goTo("#later") },
    ...(state.can_invite_others_to_realm
      ? [{ icon: "plus", text: t("invite.people"), act: goTo("#organization/invitations") }]
      : []),
    "line",
    { icon: "gear", text: t("menu.organization"), act: goTo("#organization") },
    { icon: "gear", text: t("view.settings"), act: goTo("#settings") },
    { icon: "help", text: t("marks.title"), act: goTo("#message-formatting") },
    { icon: "keyboard", text: t("keys.title"), key: "?", act: goTo("#keyboard-shortcuts") },
    { icon: "logout", text: t("menu.log-out"), act: logOut },
  ]);
}

/** @param {import("../views/commands.js").CommandContext} context */
export function myMenu({ element, event }) {
  const goTo = (/** @type {string} */ hash) => () => {
    location.hash = hash;
  };
  const isAway = setting("presence_enabled") === false;
  const sign = statusEmoji(myId());
  const scheme = setting("color_scheme") ?? 1;
  const theme = (/** @type {[number, string]} */ [value, text]) => ({
    text,
    checked: scheme === value,
    act: () => withErrorToast(patch("/settings", { color_scheme: value })),
  });
  openMenu(element, t("people.you"), [
    {
      icon: "smile",
      sign: sign || undefined,
      text: t(sign || state.user_status?.[myId()]?.status_text ? "menu.change-status" : "menu.set-status"),
      act: () => runCommand("status", element, event),
    },
    {
      icon: "away",
      text: t(isAway ? "menu.appear-active" : "status.away"),
      act: () => runCommand("away", element, event),
    },
    "line",
    { icon: "person", text: t("menu.profile"), act: goTo("#settings/profile") },
    { icon: "gear", text: t("view.settings"), act: goTo("#settings") },
    { icon: "keyboard", text: t("keys.title"), key: "?", act: goTo("#keyboard-shortcuts") },
    {
      label: t("menu.theme"),
      choices: /** @type {[number, string][]} */ ([
        [3, t("set.color_scheme.3")],
        [2, t("set.color_scheme.2")],
        [1, t("set.color_scheme.1")],
      ]).map(theme),
    },
    "line",
    { icon: "logout", text: t("menu.log-out"), act: logOut },
  ]);
}

/** The menu beside Send: which key sends.
 * @param {import("../views/commands.js").CommandContext} context */
export function sendMenu({ element, event }) {
  const choose = (/** @type {boolean} */ value) => () => withErrorToast(patch("/settings", { enter_sends: value }));
  const sends = setting("enter_sends") === true;
  openMenu(element, t("compose.how"), [
    { text: t("set.enter_sends"), hint: t("send.enter-hint"), checked: sends, act: choose(true) },
    { text: t("send.ctrl-enter"), hint: t("send.ctrl-enter-hint"), checked: !sends, act: choose(false) },
    "line",
    { icon: "later", text: t("send.later"), act: () => runCommand("send-later", element, event) },
  ]);
}

/** The menu of the inbox.
 * @param {HTMLElement} element
 * @param {Event} event */
function inboxMenu(element, event) {
  openMenu(element, t("head.more"), [
    { icon: "check", text: t("inbox.mark-all"), act: () => runCommand("mark-all-read", element, event) },
    { icon: "eye", text: t("inbox.catch-up"), key: "O", act: () => runCommand("catch-up", element, event) },
    "line",
    {
      icon: "bell",
      text: t("settings.notifications"),
      act: () => {
        location.hash = "#settings/notifications";
      },
    },
  ]);
}

/** The menu of the view that is shown: the inbox, a topic, a channel or a direct conversation.
 * @param {import("../views/commands.js").CommandContext} context */
export function viewMenu({ element, event }) {
  const route = currentRoute();
  if (route?.view === "inbox") return inboxMenu(element, event);
  const conversation = route?.conversation;
  const channel = conversation && isInChannel(conversation) ? conversation.channel : route?.channel;
  const topic = conversation && isInChannel(conversation) ? conversation.topic : undefined;
  const items = /** @type {import("./popover.js").MenuItem[]} */ ([
    { icon: "check", text: t("menu.mark-read"), act: () => runCommand("mark-read", element, event) },
  ]);
  if (channel !== undefined && topic !== undefined) {
    const followed = isFollowed(channel, topic);
    items.push(
      {
        icon: "bell",
        text: t(followed ? "menu.unfollow" : "head.follow"),
        key: "Shift F",
        act: () => withErrorToast(setTopicPolicy(channel, topic, followed ? INHERIT : FOLLOWED)),
      },
      {
        icon: "mute",
        text: t(isTopicMuted(channel, topic) ? "menu.unmute" : "menu.mute"),
        key: "Shift M",
        act: () => toggleMute(channel, topic),
      },
      {
        icon: "check",
        text: t(isResolved(topic) ? "head.unresolve" : "head.resolve"),
        act: () => toggleResolved(channel, topic),
      },
      { icon: "move", text: t("menu.move-topic"), act: () => runCommand("move-topic", element, event) },
    );
    if (realm("enable_topic_summaries") && !isSpectator())
      items.push({ icon: "list", text: t("summary.title"), act: () => summarizeTopic(channel, topic) });
    if (state.is_admin)
      items.push({ icon: "trash", text: t("menu.delete-topic"), risk: true, act: () => deleteTopic(channel, topic) });
  }
  if (channel !== undefined) {
    const hash = topic === undefined ? channelHash(channel) : conversationHash({ channel, topic });
    items.push({
      icon: "link",
      text: t(topic === undefined ? "menu.copy-channel-link" : "menu.copy-topic-link"),
      act: () => copyHash(hash),
    });
  }
  if (channel !== undefined) items.push("line", ...channelItems(channel, element, event));
  openMenu(element, t("head.more"), items);
}

/** @param {number} id
 * @param {HTMLElement} element
 * @param {Event} event
 * @returns {import("./popover.js").MenuItem[]} */
function channelItems(id, element, event) {
  const channel = channels.get(id);
  if (!channel) return [];
  element.dataset.channel = String(id);
  const settings = {
    icon: "gear",
    text: t("head.channel-settings"),
    act: () => runCommand("channel-settings", element, event),
  };
  if (!channel.subscribed) return [settings];
  return [
    settings,
    {
      icon: "pin",
      text: t(channel.pin_to_top ? "menu.unpin" : "sub.pin_to_top"),
      act: () => withErrorToast(setSubscription(id, "pin_to_top", !channel.pin_to_top)),
    },
    {
      icon: "mute",
      text: t(channel.is_muted ? "menu.unmute-channel" : "menu.mute-channel"),
      act: () => withErrorToast(setSubscription(id, "is_muted", !channel.is_muted)),
    },
    { icon: "logout", text: t("channels.leave"), act: () => withErrorToast(leaveChannel(id)) },
  ];
}

/** @param {number} channel
 * @param {string} topic */
async function deleteTopic(channel, topic) {
  const found = await withErrorToast(get(`/streams/${channel}/topic_deletion_preview`, { topic_name: topic }));
  if (!found) return;
  const [from, to] = [found.oldest_timestamp, found.newest_timestamp].map((at) => formatDate(at ?? 0));
  const text = t("delete.topic-text", { topic, count: found.message_count, from, to });
  if (!(await confirmAction(t("menu.delete-topic"), text, t("menu.delete-topic")))) return;
  let response;
  do response = await withErrorToast(post(`/streams/${channel}/delete_topic`, { topic_name: topic }));
  while (response && response.complete === false);
  toast(t("forms.done"));
}
