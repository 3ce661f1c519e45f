/** What each kind of event changes. One table; kinds that are not in it are ignored. */

import { updateChannel, channels, folders, addChannel } from "../state/channels.js";
import { conversationOf, keyOf } from "../state/conversations.js";
import { recordDirectMessage } from "../state/direct_messages.js";
import { applyDraftsEvent } from "../state/drafts.js";
import { forgetMessageLists, insertIntoLists, trimMessageLists } from "../state/message_lists.js";
import { updateRealm, updateSetting, state, myId } from "../state/session.js";
import { updateMessage, removeMessages, cachedMessages, findMessage, setFlag, storeMessage } from "../state/messages.js";
import { updatePerson, people } from "../state/people.js";
import { mergePresence } from "../state/presence.js";
import { emit } from "../core/signals.js";
import { currentMessageView } from "../views/message_view.js";
import { fetchTopics, invalidateTopics, recordTopic, setPolicy, topicsOf } from "../state/topics.js";
import { applyTypingEvent, clearTyping } from "../state/typing.js";
import { moveUnread, clearUnread, removeUnread, addUnread, restoreUnread } from "../state/unread.js";

/** @typedef {Record<string, any>} ServerEvent */

/** @type {Record<string, (event: ServerEvent) => void>} */
const reducers = {
  message: onMessage,
  update_message: onMessageUpdate,
  delete_message: onMessageDelete,
  update_message_flags: onFlags,
  reaction: onReaction,
  submessage: onSubmessage,
  typing: applyTypingEvent,
  presence: (event) => { mergePresence(event.presences ?? {}); emit("presence"); },
  subscription: onSubscription,
  stream: onChannel,
  channel_folder: onFolder,
  user_topic: (event) => { setPolicy(event.stream_id, event.topic_name, event.visibility_policy); emit("topics", event.stream_id); emit("unread"); },
  muted_users: (event) => { state.muted_users = event.muted_users; emit("people"); emit("lists"); },
  realm_user: onPerson,
  realm_bot: () => emit("people"),
  user_status: onStatus,
  user_settings: (event) => updateSetting(event.property, event.value),
  realm: onRealm,
  realm_emoji: (event) => { state.realm_emoji = event.realm_emoji; emit("realm"); },
  realm_linkifiers: (event) => { state.realm_linkifiers = event.realm_linkifiers; },
  realm_playgrounds: (event) => { state.realm_playgrounds = event.realm_playgrounds; emit("realm"); },
  realm_domains: () => emit("realm"),
  custom_profile_fields: (event) => { state.custom_profile_fields = event.fields; emit("people"); },
  default_streams: (event) => { state.realm_default_streams = event.default_streams; emit("realm"); },
  alert_words: (event) => { state.alert_words = event.alert_words; emit("settings"); },
  drafts: applyDraftsEvent,
  saved_snippets: (event) => updateRows("saved_snippets", event, event.saved_snippet ? [event.saved_snippet] : [], event.saved_snippet_id, "drafts"),
  scheduled_messages: (event) => updateRows("scheduled_messages", event, event.scheduled_messages ?? (event.scheduled_message ? [event.scheduled_message] : []), event.scheduled_message_id, "drafts", "scheduled_message_id"),
  reminders: (event) => updateRows("reminders", event, event.reminders ?? [], event.reminder_id, "drafts", "reminder_id"),
  user_group: onGroup,
  invites_changed: () => emit("realm"),
};

const TRIM_INTERVAL = 200;
let messageCount = 0; // of messages that have come

/** @param {ServerEvent} event */
export function applyEvent(event) {
  reducers[event.type]?.(event);
}

/** @param {ServerEvent} event */
function onMessage(event) {
  const sent = { ...event.message, flags: event.flags ?? [] };
  const message = findMessage(sent.id) ?? storeMessage(sent); // an answer may have told of it before
  addUnread(message);
  recordDirectMessage(message);
  if (message.type === "stream") recordTopic(message.stream_id, message.subject, message.id);
  clearTyping(keyOf(conversationOf(message)), message.sender_id);
  insertIntoLists(message);
  if (++messageCount % TRIM_INTERVAL === 0) trimMessageLists(currentMessageView()?.list.isAtEnd ? null : (currentMessageView()?.messages ?? null));
  emit("arrived", { ...message, local_message_id: event.local_message_id });
  emit("typing");
}

/** @param {ServerEvent} event */
function onMessageUpdate(event) {
  const changes = /** @type {Record<string, any>} */ ({});
  if (event.rendered_content !== undefined) {
    changes.content = event.rendered_content;
    changes.is_me_message = event.is_me_message;
    changes.match_content = undefined;
    if (!event.rendering_only) changes.last_edit_timestamp = event.edit_timestamp;
  }
  if (findMessage(event.message_id) && event.rendered_content !== undefined) {
    const flags = (event.flags ?? []).filter((/** @type {string} */ flag) => flag !== "read" && flag !== "starred");
    const ownFlags = (findMessage(event.message_id)?.flags ?? []).filter((flag) => flag === "read" || flag === "starred");
    updateMessage(event.message_id, { ...changes, flags: [...new Set([...ownFlags, ...flags])] });
  }
  if (event.orig_subject !== undefined || event.new_stream_id !== undefined) onMoved(event);
}

/** @param {ServerEvent} event */
function onMoved(event) {
  const channel = event.new_stream_id ?? event.stream_id;
  const topic = event.subject ?? event.orig_subject;
  const ids = event.message_ids;
  for (const id of ids) {
    const before = findMessage(id);
    if (!before) continue;
    updateMessage(id, { stream_id: channel, subject: topic, display_recipient: channels.get(channel)?.name ?? "", topic_links: event.topic_links ?? [],
      ...(id !== event.message_id || event.rendered_content === undefined ? { last_moved_timestamp: event.edit_timestamp } : {}) });
  }
  moveUnread(ids, { channel, topic });
  for (const each of new Set([event.stream_id, channel])) if (topicsOf(each)) fetchTopics(each).catch(() => invalidateTopics(each));
  forgetMessageLists(currentMessageView()?.messages);
  emit("moved", ids);
  emit("relocated", event);
}

/** @param {ServerEvent} event */
function onMessageDelete(event) {
  const ids = event.message_ids ?? [event.message_id];
  removeUnread(ids);
  removeMessages(ids);
  state.starred_messages = (state.starred_messages ?? []).filter((/** @type {number} */ id) => !ids.includes(id));
  emit("gone", ids);
  if (event.stream_id && topicsOf(event.stream_id)) fetchTopics(event.stream_id).catch(() => {});
}

/** @param {ServerEvent} event */
function onFlags(event) {
  const isSet = event.op === "add" || event.operation === "add";
  if (event.flag === "read") {
    if (isSet && event.all) clearUnread();
    else if (isSet) removeUnread(event.messages);
    else restoreUnread(event.message_details ?? {});
  }
  if (event.flag === "starred") {
    const others = (state.starred_messages ?? []).filter((/** @type {number} */ id) => !event.messages.includes(id));
    state.starred_messages = isSet ? [...others, ...event.messages] : others;
  }
  const ids = event.all ? cachedMessages().map((message) => message.id) : event.messages;
  for (const id of ids) {
    setFlag(id, event.flag, isSet);
    const message = findMessage(id);
    if (message && event.flag === "starred") insertIntoLists(message);
  }
  emit("unread");
}

/** @param {ServerEvent} event */
function onReaction(event) {
  const message = findMessage(event.message_id);
  if (!message) return;
  const { user_id, emoji_name, emoji_code, reaction_type } = event;
  const others = message.reactions.filter((each) => !(each.user_id === user_id && each.emoji_code === emoji_code && each.reaction_type === reaction_type));
  updateMessage(message.id, { reactions: event.op === "add" ? [...others, { user_id, emoji_name, emoji_code, reaction_type }] : others });
}

/** @param {ServerEvent} event */
function onSubmessage(event) {
  const message = findMessage(event.message_id);
  if (!message || message.submessages.some((each) => each.id === event.submessage_id)) return;
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event;
  updateMessage(message.id, { submessages: [...message.submessages, { id, message_id, sender_id, msg_type, content }] });
}

/** @param {ServerEvent} event */
function onSubscription(event) {
  if (event.op === "add") for (const channel of event.subscriptions) addChannel(channel, true);
  if (event.op === "remove") for (const { stream_id } of event.subscriptions) updateChannel(stream_id, { subscribed: false });
  if (event.op === "update") updateChannel(event.stream_id, { [event.property]: event.value });
  if (event.op === "peer_add" || event.op === "peer_remove") emit("subscribers", event);
  emit("channels");
  emit("unread");
}

/** @param {ServerEvent} event */
function onChannel(event) {
  for (const channel of event.streams ?? []) {
    if (event.op === "create") addChannel(channel, channels.get(channel.stream_id)?.subscribed ?? false);
  }
  const gone = event.op === "delete" ? (event.stream_ids ?? (event.streams ?? []).map((/** @type {{stream_id: number}} */ each) => each.stream_id)) : [];
  for (const id of gone) channels.delete(id);
  if (event.op === "update") {
    const more = event.property === "description" ? { rendered_description: event.rendered_description } : {};
    updateChannel(event.stream_id, { [event.property]: event.value, ...more });
  }
  emit("channels");
}

/** @param {ServerEvent} event */
function onFolder(event) {
  if (event.op === "add") folders.set(event.channel_folder.id, event.channel_folder);
  const folder = folders.get(event.channel_folder_id);
  if (event.op === "update" && folder) Object.assign(folder, event.data);
  if (event.op === "reorder") event.order.forEach((/** @type {number} */ id, /** @type {number} */ at) => { const each = folders.get(id); if (each) each.order = at; });
  emit("folders");
}

/** @param {ServerEvent} event */
function onPerson(event) {
  const { person, op } = event;
  if (op === "add") updatePerson({ ...person, is_active: true });
  else if (op === "remove") people.delete(person.user_id);
  else if (person.custom_profile_field) {
    const { id, value, rendered_value } = person.custom_profile_field;
    const before = people.get(person.user_id)?.profile_data ?? {};
    updatePerson({ user_id: person.user_id, profile_data: { ...before, [id]: { value, rendered_value } } });
  } else {
    const { new_email, ...rest } = person;
    updatePerson({ ...rest, ...(new_email && { email: new_email }), ...roleFlags(person) });
  }
  if (person.user_id === myId() && "role" in person) location.reload(); // everything one may do is different
}

/** @param {ServerEvent} person */
function roleFlags(person) {
  if (person.role === undefined) return {};
  return { is_owner: person.role === 100, is_admin: person.role <= 200, is_guest: person.role === 600 };
}

/** @param {ServerEvent} event */
function onStatus(event) {
  const { user_id, status_text = "", emoji_name = "", emoji_code = "", reaction_type = "" } = event;
  const before = state.user_status?.[user_id] ?? {};
  const status = { ...before };
  for (const [name, value] of Object.entries({ status_text, emoji_name, emoji_code, reaction_type })) if (name in event) status[name] = value;
  state.user_status = { ...state.user_status, [user_id]: status };
  emit("people", user_id);
}

/** @param {ServerEvent} event */
function onRealm(event) {
  if (event.op === "update_dict") updateRealm(event.data);
  else if (event.op === "update") updateRealm({ [event.property]: event.value });
}

/** Rows of a list that is kept as the register answer has it.
 * @param {string} name
 * @param {ServerEvent} event
 * @param {ServerEvent[]} rows
 * @param {number | undefined} goneId
 * @param {string} signal
 * @param {string} [key] */
function updateRows(name, event, rows, goneId, signal, key = "id") {
  const gone = new Set([goneId, ...rows.map((row) => row[key])]);
  const others = (state[name] ?? []).filter((/** @type {ServerEvent} */ row) => !gone.has(row[key]));
  state[name] = event.op === "remove" ? others : [...others, ...rows];
  emit(signal);
}

/** @param {ServerEvent} event */
function onGroup(event) {
  const groups = state.realm_user_groups ?? [];
  const group = groups.find((/** @type {{id: number}} */ each) => each.id === (event.group_id ?? event.group?.id));
  if (event.op === "add") state.realm_user_groups = [...groups, event.group];
  else if (event.op === "remove") state.realm_user_groups = groups.filter((/** @type {unknown} */ each) => each !== group);
  else if (group && event.op === "update") Object.assign(group, event.data);
  else if (group && event.op === "add_members") group.members = [...new Set([...group.members, ...event.user_ids])];
  else if (group && event.op === "remove_members") group.members = group.members.filter((/** @type {number} */ id) => !event.user_ids.includes(id));
  else if (group && event.op === "add_subgroups") group.direct_subgroup_ids = [...new Set([...group.direct_subgroup_ids, ...event.direct_subgroup_ids])];
  else if (group && event.op === "remove_subgroups") group.direct_subgroup_ids = group.direct_subgroup_ids.filter((/** @type {number} */ id) => !event.direct_subgroup_ids.includes(id));
  emit("people");
}
