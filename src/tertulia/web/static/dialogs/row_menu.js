/** The menu of a row in the sidebar: a channel, a topic or a direct conversation. */

import {
  copyHash,
  leaveChannel,
  offerUndo,
  setSubscription,
  setTopicPolicy,
  toggleMute,
  toggleResolved,
  withErrorToast,
} from "../views/message_actions.js";
import { runCommand } from "../views/commands.js";
import { startTopic } from "../views/navigation.js";
import { patch, post, remove } from "../core/api.js";
import { t } from "../core/i18n.js";
import { channels, sortedFolders } from "../state/channels.js";
import { isInChannel, isResolved } from "../state/conversations.js";
import { channelHash, conversationHash } from "../state/narrow.js";
import { isMuted } from "../state/people.js";
import { myId, state } from "../state/session.js";
import { FOLLOWED, INHERIT, isFollowed, isTopicMuted } from "../state/topics.js";
import { allUnread, unreadIds } from "../state/unread.js";
import { markRead, markUnread } from "../sync/read_flags.js";
import { currentRoute } from "../core/router.js";
import { isInPermission } from "./forms.js";
import { openMenu } from "./popover.js";

/** @typedef {import("./popover.js").MenuItem} MenuItem */

/** @param {import("../views/commands.js").CommandContext} context */
export function rowMenu({ element, event }) {
  const item = element.closest(".has-more");
  const row = /** @type {HTMLElement | null | undefined} */ (item?.querySelector(".row"));
  if (!item || !row) return;
  item.classList.add("open");
  const closed = () => item.classList.remove("open");
  const button = item.querySelector(".rm");
  openMenu(
    button instanceof HTMLElement && button.offsetParent ? button : row,
    row.querySelector("bdi")?.textContent ?? "",
    itemsOf(row, event),
    { closed },
  );
}

/** Mark the open channel, or the open direct conversation, as read. */
export function markPlaceRead() {
  const conversation = currentRoute()?.conversation;
  const channel = openChannel();
  if (channel !== undefined) readWithUndo(unreadInChannel(channel));
  else if (conversation) readWithUndo(unreadIds(conversation));
}

/** @param {number[]} ids */
function readWithUndo(ids) {
  if (!ids.length) return;
  markRead(ids);
  offerUndo("check", t("undo.read", { count: ids.length }), () => markUnread(ids));
}

/** @param {number} id */
function unreadInChannel(id) {
  return allUnread().flatMap(({ conversation, ids }) =>
    isInChannel(conversation) && conversation.channel === id ? [...ids] : [],
  );
}

/** @returns {number | undefined} */
function openChannel() {
  const route = currentRoute();
  return route?.conversation && isInChannel(route.conversation) ? route.conversation.channel : route?.channel;
}

/** @param {HTMLElement} row
 * @param {Event} event
 * @returns {MenuItem[]} */
function itemsOf(row, event) {
  const { channel, topic, people } = row.dataset;
  if (people) return directItems(people.split(",").map(Number), row, event);
  if (topic !== undefined) return topicItems(Number(channel), topic, row, event);
  return channelRowItems(Number(channel), row, event);
}

/** @param {number} id
 * @param {HTMLElement} row
 * @param {Event} event
 * @returns {MenuItem[]} */
function channelRowItems(id, row, event) {
  const channel = channels.get(id);
  if (!channel) return [];
  const isOpen = openChannel() === id; // its keys act on the open channel
  const subscribed = /** @type {MenuItem[]} */ ([
    {
      icon: "mute",
      text: t(channel.is_muted ? "rowmenu.unmute-channel" : "rowmenu.mute-channel"),
      act: () => withErrorToast(setSubscription(id, "is_muted", !channel.is_muted)),
    },
    {
      icon: "pin",
      text: t(channel.pin_to_top ? "menu.unpin" : "sub.pin_to_top"),
      act: () => withErrorToast(setSubscription(id, "pin_to_top", !channel.pin_to_top)),
    },
  ]);
  const canMove =
    sortedFolders().length > 0 && (state.is_admin || isInPermission(channel.can_administer_channel_group));
  return [
    {
      icon: "check",
      text: t("rowmenu.mark-read"),
      ...(isOpen && { key: "Shift Esc" }),
      act: () => readWithUndo(unreadInChannel(id)),
    },
    { icon: "plus", text: t("channel.new-topic"), ...(isOpen && { key: "C" }), act: () => startTopic(id) },
    { icon: "link", text: t("menu.copy-link"), act: () => copyHash(channelHash(id)) },
    "line",
    ...(channel.subscribed ? subscribed : []),
    ...(canMove ? [{ icon: "folder", text: t("rowmenu.folder"), opens: true, act: () => folderMenu(id, row) }] : []),
    { icon: "gear", text: t("head.channel-settings"), act: () => runCommand("channel-settings", row, event) },
    ...(channel.subscribed
      ? /** @type {MenuItem[]} */ ([
          "line",
          { icon: "logout", text: t("rowmenu.leave"), act: () => withErrorToast(leaveChannel(id)) },
        ])
      : []),
  ];
}

/** @param {number} id
 * @param {HTMLElement} row */
function folderMenu(id, row) {
  const present = channels.get(id)?.folder_id ?? null;
  const choices = /** @type {[number | null, string][]} */ ([
    ...sortedFolders().map((folder) => [folder.id, folder.name]),
    [null, t("rowmenu.no-folder")],
  ]);
  const move = (/** @type {number | null} */ folder) => withErrorToast(patch(`/streams/${id}`, { folder_id: folder }));
  openMenu(
    row,
    t("rowmenu.folder"),
    choices.map(([folder, text]) => ({ icon: folder === present ? "check" : "folder", text, act: () => move(folder) })),
  );
}

/** @param {number} channel
 * @param {string} topic
 * @param {HTMLElement} row
 * @param {Event} event
 * @returns {MenuItem[]} */
function topicItems(channel, topic, row, event) {
  const conversation = { channel, topic };
  const followed = isFollowed(channel, topic);
  const isOpen = row.ariaCurrent === "page";
  return [
    { icon: "check", text: t("rowmenu.mark-read"), act: () => readWithUndo(unreadIds(conversation)) },
    { icon: "link", text: t("menu.copy-link"), act: () => copyHash(conversationHash(conversation)) },
    "line",
    {
      icon: "bell",
      text: t(followed ? "menu.unfollow" : "head.follow"),
      ...(isOpen && { key: "Shift F" }),
      act: () => withErrorToast(setTopicPolicy(channel, topic, followed ? INHERIT : FOLLOWED)),
    },
    {
      icon: "mute",
      text: t(isTopicMuted(channel, topic) ? "rowmenu.unmute-topic" : "rowmenu.mute-topic"),
      ...(isOpen && { key: "Shift M" }),
      act: () => toggleMute(channel, topic),
    },
    {
      icon: "check",
      text: t(isResolved(topic) ? "head.unresolve" : "head.resolve"),
      act: () => toggleResolved(channel, topic),
    },
    { icon: "gear", text: t("head.channel-settings"), act: () => runCommand("channel-settings", row, event) },
  ];
}

/** @param {number[]} people
 * @param {HTMLElement} row
 * @param {Event} event
 * @returns {MenuItem[]} */
function directItems(people, row, event) {
  const conversation = { people };
  const [id] = people;
  const isOther = people.length === 1 && id !== myId();
  const profile = () => {
    row.dataset.person = String(id);
    runCommand("profile", row, event);
  };
  const mute = () =>
    withErrorToast(isMuted(id) ? remove(`/users/me/muted_users/${id}`) : post(`/users/me/muted_users/${id}`));
  return [
    { icon: "check", text: t("rowmenu.mark-read"), act: () => readWithUndo(unreadIds(conversation)) },
    { icon: "link", text: t("menu.copy-link"), act: () => copyHash(conversationHash(conversation)) },
    ...(people.length === 1
      ? /** @type {MenuItem[]} */ (["line", { icon: "people", text: t("head.profile"), act: profile }])
      : []),
    ...(isOther ? [{ icon: "mute", text: t(isMuted(id) ? "card.unmute" : "card.mute"), act: mute }] : []),
  ];
}
