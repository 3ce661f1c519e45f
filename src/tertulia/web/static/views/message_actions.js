/** Commands on messages, topics and channels that need no dialog. */

import { get, patch, post, ApiError, remove, NetworkError } from "../core/api.js";
import { setAccountValue } from "../core/account_values.js";
import { lazy } from "../core/lazy.js";
import { command, runCommand } from "./commands.js";
import { currentComposeBox, isSameTarget } from "./compose.js";
import { channelName, channels } from "../state/channels.js";
import {
  conversationOf,
  isInChannel,
  isResolved,
  keyOf,
  topicKey,
  topicTitle,
  withResolved,
} from "../state/conversations.js";
import { reactionFor } from "../state/emoji.js";
import { myId } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { conversationHash } from "../state/narrow.js";
import { discardEdit } from "./edits.js";
import { currentRoute } from "../core/router.js";
import { pageScope } from "../core/scope.js";
import { toast } from "./layout.js";
import { hiddenPreviews } from "./rendered_content.js";
import { currentMessageView } from "./message_view.js";
import { FOLLOWED, INHERIT, isFollowed, isTopicMuted, MUTED, policyOf, UNMUTED } from "../state/topics.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {import("../core/api_types.d.ts").MoveEvent} MoveEvent */
/** @typedef {{emoji_name: string, emoji_code: string, reaction_type: string}} EmojiChoice */

const MAX_HIDDEN_PREVIEWS = 200; // of linked pages, per person

export function registerMessageCommands() {
  command("star", ({ message }) => message && withErrorToast(setStar(message, !message.flags.includes("starred"))));
  command("toggle-reaction", ({ message, element }) => {
    const { name = "", code = "", kind = "" } = element.dataset;
    return (
      message && withErrorToast(toggleReaction(message, { emoji_name: name, emoji_code: code, reaction_type: kind }))
    );
  });
  command(
    "thumbs-up",
    ({ message }) =>
      message &&
      withErrorToast(toggleReaction(message, { ...reactionFor("+1"), emoji_name: "+1", emoji_code: "1f44d" })),
  );
  command(
    "upvote",
    ({ message }) => message?.reactions[0] && withErrorToast(toggleReaction(message, message.reactions[0])),
  );
  command(
    "expand",
    ({ message, element }) => message && currentMessageView()?.expand(message.id, element.dataset.part ?? ""),
  );
  command("hide-preview", ({ message, element }) => hidePreview(message, element));
  command("copy-link", ({ message }) => message && copyLink(message));
  command("follow", () =>
    withTopic((channel, topic) =>
      withErrorToast(setTopicPolicy(channel, topic, isFollowed(channel, topic) ? INHERIT : FOLLOWED)),
    ),
  );
  command("mute-topic", () => withTopic(toggleMute));
  command("resolve", () => withTopic(toggleResolved));
  command("join-channel", ({ element }) => withErrorToast(joinChannel(Number(element.dataset.channel))));
  command("discard-edit", ({ message }) => message && discardEdit(message.id));
  command("unarchive", ({ element }) =>
    withErrorToast(patch(`/streams/${element.dataset.channel}`, { is_archived: false })),
  );
  command("edit-last", () => editLastMessage());
  pageScope.on("topicMoved", followEmptiedTopic);
  pageScope.on("topicMoved", followMove);
  pageScope.listen(window, "unhandledrejection", showUnhandledError);
}

/** Show the error of a request that no other code handles.
 * @param {PromiseRejectionEvent} event */
function showUnhandledError(event) {
  if (!(event.reason instanceof ApiError || event.reason instanceof NetworkError)) return;
  event.preventDefault();
  toast(event.reason.message);
}

/** Wait for a request, and show its error as a toast.
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T | undefined>} */
export async function withErrorToast(work) {
  try {
    return await work;
  } catch (error) {
    toast(/** @type {Error} */ (error).message);
    return undefined;
  }
}

/** @param {Message} message
 * @param {boolean} starred */
export function setStar(message, starred) {
  return post("/messages/flags", { messages: [message.id], op: starred ? "add" : "remove", flag: "starred" });
}

/** @param {Message} message
 * @param {EmojiChoice} choice */
export async function toggleReaction(message, { emoji_name, emoji_code, reaction_type }) {
  const mine = message.reactions.some(
    (each) => each.user_id === myId() && each.emoji_code === emoji_code && each.reaction_type === reaction_type,
  );
  const path = `/messages/${message.id}/reactions`;
  try {
    const reaction = { emoji_name, emoji_code, reaction_type };
    await (mine ? remove(path, reaction) : post(path, reaction));
  } catch (error) {
    // The reaction is in the wanted state already, and its event is about to arrive.
    if (!/^REACTION_/.test(error instanceof ApiError ? error.code : "")) throw error;
  }
}

/** @param {Message} message */
export async function copyLink(message) {
  await copyHash(conversationHash(conversationOf(message), message.id));
}

/** Copy the link to a view.
 * @param {string} hash */
export function copyHash(hash) {
  return copyToClipboard(`${location.origin}/${hash}`);
}

/** @param {string} text */
export async function copyToClipboard(text) {
  await navigator.clipboard.writeText(text);
  toast(t("content.copied"));
}

/** @param {number} channel
 * @param {string} topic
 * @param {number} policy */
export function setTopicPolicy(channel, topic, policy) {
  return post("/user_topics", { stream_id: channel, topic, visibility_policy: policy });
}

/** @param {number} channel */
export function joinChannel(channel) {
  return post("/users/me/subscriptions", { subscriptions: [{ name: channelName(channel) }] });
}

/** @param {number} channel */
export async function leaveChannel(channel) {
  await remove("/users/me/subscriptions", { subscriptions: [channelName(channel)] });
  if (!channels.get(channel)?.invite_only)
    offerUndo("logout", t("undo.left", { name: channelName(channel) }), () => joinChannel(channel));
}

/** Offer to undo what was just done.
 * @param {string} icon
 * @param {string} text
 * @param {() => Promise<unknown>} undo */
export async function offerUndo(icon, text, undo) {
  (await lazy("dialogs", "showUndo"))({ icon, text, undo: () => withErrorToast(undo()) });
}

/** @param {number} channel
 * @param {string} property
 * @param {string | number | boolean} value */
export async function setSubscription(channel, property, value) {
  await changeSubscription(channel, property, value);
  if (property === "is_muted")
    offerUndo("mute", t(value ? "undo.muted" : "undo.unmuted", { name: channelName(channel) }), () =>
      changeSubscription(channel, property, !value),
    );
}

/** @param {number} channel
 * @param {string} property
 * @param {string | number | boolean} value */
function changeSubscription(channel, property, value) {
  return post("/users/me/subscriptions/properties", { subscription_data: [{ stream_id: channel, property, value }] });
}

/** @param {number} channel
 * @param {string} topic */
export async function toggleResolved(channel, topic) {
  const newest = await withErrorToast(
    get("/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      narrow: [
        { operator: "channel", operand: channel },
        { operator: "topic", operand: topic },
      ],
    }),
  );
  const [message] = newest?.messages ?? [];
  if (!message) return;
  const newName = withResolved(topic, !isResolved(topic));
  await withErrorToast(
    patch(`/messages/${message.id}`, {
      topic: newName,
      propagate_mode: "change_all",
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: true,
    }),
  );
}

/** @param {number} channel
 * @param {string} topic */
export function toggleMute(channel, topic) {
  const isQuiet = isTopicMuted(channel, topic);
  const policy = isQuiet ? (channels.get(channel)?.is_muted ? UNMUTED : INHERIT) : MUTED;
  const before = policyOf(channel, topic);
  return withErrorToast(
    setTopicPolicy(channel, topic, policy).then(() =>
      offerUndo("mute", t(isQuiet ? "undo.unmuted" : "undo.muted", { name: topicTitle(topic) }), () =>
        setTopicPolicy(channel, topic, before),
      ),
    ),
  );
}

/** Call a function with the topic that is shown.
 * @param {(channel: number, topic: string) => unknown} work */
function withTopic(work) {
  const conversation = currentRoute()?.conversation;
  return conversation && isInChannel(conversation) && work(conversation.channel, conversation.topic);
}

/** All messages of the topic that is shown were moved one by one: show the topic that they moved to.
 * @param {MoveEvent} event */
function followEmptiedTopic(event) {
  const here = currentRoute()?.conversation;
  if (!here || !isInChannel(here) || here.channel !== event.stream_id) return;
  if (here.topic.toLowerCase() !== String(event.orig_subject ?? here.topic).toLowerCase()) return;
  if (currentMessageView()?.messages.ids.length) return; // some messages have stayed
  showMovedTopic(here, { channel: event.new_stream_id ?? event.stream_id, topic: event.subject ?? here.topic });
}

/** The topic that is shown was renamed or moved: show it under its new name.
 * @param {MoveEvent} event */
function followMove(event) {
  const here = currentRoute()?.conversation;
  if (!here || !isInChannel(here) || event.propagate_mode === "change_one") return;
  if (keyOf(here) !== topicKey(event.stream_id, event.orig_subject ?? event.subject ?? "")) return;
  const there = { channel: event.new_stream_id ?? event.stream_id, topic: event.subject ?? event.orig_subject ?? "" };
  showMovedTopic(here, there);
}

/** @param {import("../state/conversations.js").InChannel} here
 * @param {import("../state/conversations.js").InChannel} there */
function showMovedTopic(here, there) {
  const compose = currentComposeBox();
  if (compose && isSameTarget(compose.home, here)) compose.follow(there);
  location.replace(conversationHash(there));
}

/** Edit the person's last message in the open view. */
function editLastMessage() {
  const view = currentMessageView();
  const mine = view?.messages.ids.filter((id) => findMessage(id)?.sender_id === myId()).at(-1);
  const article = mine && view?.list.reveal(mine);
  if (article) runCommand("edit", article, new Event("edit"));
}

/** Hide a preview: the sender's for all, another one for the person.
 * @param {import("../state/messages.js").Message | undefined} message
 * @param {HTMLElement} button */
function hidePreview(message, button) {
  if (message?.sender_id === myId()) return withErrorToast(remove(`/messages/${message.id}/link_previews`));
  setAccountValue("hidden-previews", [...hiddenPreviews(), button.dataset.href ?? ""].slice(-MAX_HIDDEN_PREVIEWS));
  return button.closest(".message_embed")?.remove();
}
