/** Menus of the organization, of oneself and of the view that is open. */

import { attempt, leaveChannel, setSubscription, setTopicPolicy, toggleMute, toggleResolved } from "../views/message_actions.js";
import { logOut } from "../core/account_data.js";
import { post } from "../core/api.js";
import { channels } from "../state/channels.js";
import { run } from "../views/commands.js";
import { isInChannel, isResolved } from "../state/conversations.js";
import { isSpectator, known } from "../state/session.js";
import { shownPlace } from "../core/router.js";
import { part, toast } from "../views/layout.js";
import { FOLLOWED, INHERIT, isFollowed, isTopicMuted } from "../state/topics.js";
import { say } from "../core/i18n.js";
import { confirmed } from "./dialog.js";
import { openMenu } from "./popover.js";

/** @param {import("../views/commands.js").Occasion} occasion */
export function orgMenu({ element }) {
  const goes = (/** @type {string} */ hash) => () => { location.hash = hash; };
  if (isSpectator()) return void openMenu(element, say("menu.org"), [{ icon: "logout", text: say("spectator.log-in"), act: () => location.assign("/login/") }]);
  openMenu(element, say("menu.org"), [
    { icon: "list", text: say("channels.title"), act: goes("#channels") },
    { icon: "people", text: say("members.title"), act: goes("#members") },
    { icon: "people", text: say("groups.title"), act: goes("#groups") },
    { icon: "later", text: say("schedule.list"), act: goes("#scheduled") },
    { icon: "clock", text: say("reminders.title"), act: goes("#reminders") },
    ...(known.can_invite_others_to_realm ? [{ icon: "plus", text: say("invite.people"), act: goes("#organization/invitations") }] : []),
    "line",
    { icon: "gear", text: say("menu.organization"), act: goes("#organization") },
    { icon: "gear", text: say("settings.title"), act: goes("#settings") },
    { icon: "help", text: say("marks.title"), act: goes("#message-formatting") },
    { icon: "keyboard", text: say("keys.title"), key: "?", act: goes("#keyboard-shortcuts") },
    { icon: "logout", text: say("menu.log-out"), act: logOut },
  ]);
}

/** @param {import("../views/commands.js").Occasion} occasion */
export function myMenu({ element }) {
  const goes = (/** @type {string} */ hash) => () => { location.hash = hash; };
  openMenu(element, say("menu.me"), [
    { icon: "people", text: say("settings.profile"), act: goes("#settings/profile") },
    { icon: "gear", text: say("settings.title"), act: goes("#settings") },
    { icon: "bell", text: say("settings.notifications"), act: goes("#settings/notifications") },
    "line",
    { icon: "logout", text: say("menu.log-out"), act: logOut },
  ]);
}

/** What can be done with the topic or the channel that is shown.
 * @param {import("../views/commands.js").Occasion} occasion */
export function viewMenu({ element, event }) {
  const place = shownPlace();
  const conversation = place?.conversation;
  const channel = conversation && isInChannel(conversation) ? conversation.channel : place?.channel;
  const topic = conversation && isInChannel(conversation) ? conversation.topic : undefined;
  const isInbox = place?.view === "inbox";
  const items = /** @type {import("./popover.js").MenuItem[]} */ ([{ icon: "check", text: say(isInbox ? "inbox.mark-all" : "menu.mark-read"), act: () => run(isInbox ? "mark-all-read" : "mark-read", element, event) }]);
  if (channel !== undefined && topic !== undefined) {
    const followed = isFollowed(channel, topic);
    items.push({ icon: "bell", text: say(followed ? "menu.unfollow" : "head.follow"), key: "Shift F", act: () => attempt(setTopicPolicy(channel, topic, followed ? INHERIT : FOLLOWED)) },
      { icon: "mute", text: say(isTopicMuted(channel, topic) ? "menu.unmute" : "menu.mute"), key: "Shift M", act: () => toggleMute(channel, topic) },
      { icon: "check", text: say(isResolved(topic) ? "head.unresolve" : "head.resolve"), act: () => toggleResolved(channel, topic) },
      { icon: "move", text: say("menu.move-topic"), act: () => run("move-topic", element, event) });
    if (known.is_admin) items.push({ icon: "trash", text: say("menu.delete-topic"), risk: true, act: () => deleteTopic(channel, topic) });
  }
  if (channel !== undefined) items.push("line", ...channelItems(channel, element, event));
  openMenu(element, say("head.more"), items);
}

/** @param {number} id
 * @param {HTMLElement} element
 * @param {Event} event
 * @returns {import("./popover.js").MenuItem[]} */
function channelItems(id, element, event) {
  const channel = channels.get(id);
  if (!channel) return [];
  element.dataset.channel = String(id);
  const settings = { icon: "gear", text: say("head.channel-settings"), act: () => run("channel-settings", element, event) };
  if (!channel.subscribed) return [settings];
  return [settings,
    { icon: "pin", text: say(channel.pin_to_top ? "menu.unpin" : "menu.pin"), act: () => attempt(setSubscription(id, "pin_to_top", !channel.pin_to_top)) },
    { icon: "mute", text: say(channel.is_muted ? "menu.unmute-channel" : "menu.mute-channel"), act: () => attempt(setSubscription(id, "is_muted", !channel.is_muted)) },
    { icon: "logout", text: say("channels.leave"), act: () => attempt(leaveChannel(id)) }];
}

/** @param {number} channel
 * @param {string} topic */
async function deleteTopic(channel, topic) {
  if (!(await confirmed(say("menu.delete-topic"), say("delete.topic-text", { topic }), say("menu.delete-topic")))) return;
  let answer;
  do answer = await attempt(post(`/streams/${channel}/delete_topic`, { topic_name: topic }));
  while (answer && answer.complete === false);
  toast(say("forms.done"));
}
