/** What each kind of event changes. One table; kinds that are not in it are ignored. */

import { changeChannel, channels, folders, learn } from "../state/channels.js";
import { conversationOf, keyOf } from "../state/conversations.js";
import { noteDirect } from "../state/direct_messages.js";
import { hearOfDrafts } from "../state/drafts.js";
import { forgetListings, offer, tidyListings } from "../state/message_lists.js";
import { changeRealm, changeSetting, known, myId } from "../state/session.js";
import { changeMessage, dropMessages, heldMessages, messageOf, setFlag, takeMessage } from "../state/messages.js";
import { changePerson, people } from "../state/people.js";
import { takeIn } from "../state/presence.js";
import { tell } from "../core/signals.js";
import { openTalk } from "../views/message_view.js";
import { fetchTopics, forgetTopics, noteTopic, setPolicy, topicsOf } from "../state/topics.js";
import { noteTyping, stopped } from "../state/typing.js";
import { moveUnread, noteAllRead, noteRead, noteUnread, noteUnreadAgain } from "../state/unread.js";

/** @typedef {Record<string, any>} Event */

/** @type {Record<string, (event: Event) => void>} */
const handlers = {
  message: arrived,
  update_message: edited,
  delete_message: deleted,
  update_message_flags: flagged,
  reaction: reacted,
  submessage: answered,
  typing: noteTyping,
  presence: (event) => { takeIn(event.presences ?? {}); tell("presence"); },
  subscription: subscribed,
  stream: channelChanged,
  channel_folder: folderChanged,
  user_topic: (event) => { setPolicy(event.stream_id, event.topic_name, event.visibility_policy); tell("topics", event.stream_id); tell("unread"); },
  muted_users: (event) => { known.muted_users = event.muted_users; tell("people"); tell("lists"); },
  realm_user: personChanged,
  realm_bot: () => tell("people"),
  user_status: statusChanged,
  user_settings: (event) => changeSetting(event.property, event.value),
  realm: realmChanged,
  realm_emoji: (event) => { known.realm_emoji = event.realm_emoji; tell("realm"); },
  realm_linkifiers: (event) => { known.realm_linkifiers = event.realm_linkifiers; },
  realm_playgrounds: (event) => { known.realm_playgrounds = event.realm_playgrounds; tell("realm"); },
  realm_domains: () => tell("realm"),
  custom_profile_fields: (event) => { known.custom_profile_fields = event.fields; tell("people"); },
  default_streams: (event) => { known.realm_default_streams = event.default_streams; tell("realm"); },
  alert_words: (event) => { known.alert_words = event.alert_words; tell("settings"); },
  drafts: hearOfDrafts,
  saved_snippets: (event) => changeRows("saved_snippets", event, event.saved_snippet ? [event.saved_snippet] : [], event.saved_snippet_id, "drafts"),
  scheduled_messages: (event) => changeRows("scheduled_messages", event, event.scheduled_messages ?? (event.scheduled_message ? [event.scheduled_message] : []), event.scheduled_message_id, "drafts", "scheduled_message_id"),
  reminders: (event) => changeRows("reminders", event, event.reminders ?? [], event.reminder_id, "drafts", "reminder_id"),
  user_group: groupChanged,
  invites_changed: () => tell("realm"),
};

const TIDY_EVERY = 200;
let arrivals = 0; // of messages that have come

/** @param {string} kind
 * @param {(event: Event) => void} handler */
export function handle(kind, handler) {
  handlers[kind] = handler;
}

/** @param {Event} event */
export function takeEvent(event) {
  handlers[event.type]?.(event);
}

/** @param {Event} event */
function arrived(event) {
  const sent = { ...event.message, flags: event.flags ?? [] };
  const message = messageOf(sent.id) ?? takeMessage(sent); // an answer may have told of it before
  noteUnread(message);
  noteDirect(message);
  if (message.type === "stream") noteTopic(message.stream_id, message.subject, message.id);
  stopped(keyOf(conversationOf(message)), message.sender_id);
  offer(message);
  if (++arrivals % TIDY_EVERY === 0) tidyListings(openTalk()?.list.isAtEnd ? null : (openTalk()?.listing ?? null));
  tell("arrived", { ...message, local_message_id: event.local_message_id });
  tell("typing");
}

/** @param {Event} event */
function edited(event) {
  const changes = /** @type {Record<string, any>} */ ({});
  if (event.rendered_content !== undefined) {
    changes.content = event.rendered_content;
    changes.is_me_message = event.is_me_message;
    changes.match_content = undefined;
    if (!event.rendering_only) changes.last_edit_timestamp = event.edit_timestamp;
  }
  if (messageOf(event.message_id) && event.rendered_content !== undefined) {
    const flags = (event.flags ?? []).filter((/** @type {string} */ flag) => flag !== "read" && flag !== "starred");
    const kept = (messageOf(event.message_id)?.flags ?? []).filter((flag) => flag === "read" || flag === "starred");
    changeMessage(event.message_id, { ...changes, flags: [...new Set([...kept, ...flags])] });
  }
  if (event.orig_subject !== undefined || event.new_stream_id !== undefined) movedAway(event);
}

/** @param {Event} event */
function movedAway(event) {
  const channel = event.new_stream_id ?? event.stream_id;
  const topic = event.subject ?? event.orig_subject;
  const ids = event.message_ids;
  for (const id of ids) {
    const before = messageOf(id);
    if (!before) continue;
    changeMessage(id, { stream_id: channel, subject: topic, display_recipient: channels.get(channel)?.name ?? "", topic_links: event.topic_links ?? [],
      ...(id !== event.message_id || event.rendered_content === undefined ? { last_moved_timestamp: event.edit_timestamp } : {}) });
  }
  moveUnread(ids, { channel, topic });
  for (const each of new Set([event.stream_id, channel])) if (topicsOf(each)) fetchTopics(each).catch(() => forgetTopics(each));
  forgetListings(openTalk()?.listing);
  tell("moved", ids);
  tell("relocated", event);
}

/** @param {Event} event */
function deleted(event) {
  const ids = event.message_ids ?? [event.message_id];
  noteRead(ids);
  dropMessages(ids);
  known.starred_messages = (known.starred_messages ?? []).filter((/** @type {number} */ id) => !ids.includes(id));
  tell("gone", ids);
  if (event.stream_id && topicsOf(event.stream_id)) fetchTopics(event.stream_id).catch(() => {});
}

/** @param {Event} event */
function flagged(event) {
  const isSet = event.op === "add" || event.operation === "add";
  if (event.flag === "read") {
    if (isSet && event.all) noteAllRead();
    else if (isSet) noteRead(event.messages);
    else noteUnreadAgain(event.message_details ?? {});
  }
  if (event.flag === "starred") {
    const others = (known.starred_messages ?? []).filter((/** @type {number} */ id) => !event.messages.includes(id));
    known.starred_messages = isSet ? [...others, ...event.messages] : others;
  }
  const ids = event.all ? heldMessages().map((message) => message.id) : event.messages;
  for (const id of ids) {
    setFlag(id, event.flag, isSet);
    const message = messageOf(id);
    if (message && event.flag === "starred") offer(message);
  }
  tell("unread");
}

/** @param {Event} event */
function reacted(event) {
  const message = messageOf(event.message_id);
  if (!message) return;
  const { user_id, emoji_name, emoji_code, reaction_type } = event;
  const others = message.reactions.filter((each) => !(each.user_id === user_id && each.emoji_code === emoji_code && each.reaction_type === reaction_type));
  changeMessage(message.id, { reactions: event.op === "add" ? [...others, { user_id, emoji_name, emoji_code, reaction_type }] : others });
}

/** @param {Event} event */
function answered(event) {
  const message = messageOf(event.message_id);
  if (!message || message.submessages.some((each) => each.id === event.submessage_id)) return;
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event;
  changeMessage(message.id, { submessages: [...message.submessages, { id, message_id, sender_id, msg_type, content }] });
}

/** @param {Event} event */
function subscribed(event) {
  if (event.op === "add") for (const channel of event.subscriptions) learn(channel, true);
  if (event.op === "remove") for (const { stream_id } of event.subscriptions) changeChannel(stream_id, { subscribed: false });
  if (event.op === "update") changeChannel(event.stream_id, { [event.property]: event.value });
  if (event.op === "peer_add" || event.op === "peer_remove") tell("subscribers", event);
  tell("channels");
  tell("unread");
}

/** @param {Event} event */
function channelChanged(event) {
  for (const channel of event.streams ?? []) {
    if (event.op === "create") learn(channel, channels.get(channel.stream_id)?.subscribed ?? false);
  }
  const gone = event.op === "delete" ? (event.stream_ids ?? (event.streams ?? []).map((/** @type {{stream_id: number}} */ each) => each.stream_id)) : [];
  for (const id of gone) channels.delete(id);
  if (event.op === "update") {
    const more = event.property === "description" ? { rendered_description: event.rendered_description } : {};
    changeChannel(event.stream_id, { [event.property]: event.value, ...more });
  }
  tell("channels");
}

/** @param {Event} event */
function folderChanged(event) {
  if (event.op === "add") folders.set(event.channel_folder.id, event.channel_folder);
  const folder = folders.get(event.channel_folder_id);
  if (event.op === "update" && folder) Object.assign(folder, event.data);
  if (event.op === "reorder") event.order.forEach((/** @type {number} */ id, /** @type {number} */ at) => { const each = folders.get(id); if (each) each.order = at; });
  tell("folders");
}

/** @param {Event} event */
function personChanged(event) {
  const { person, op } = event;
  if (op === "add") changePerson({ ...person, is_active: true });
  else if (op === "remove") people.delete(person.user_id);
  else if (person.custom_profile_field) {
    const { id, value, rendered_value } = person.custom_profile_field;
    const before = people.get(person.user_id)?.profile_data ?? {};
    changePerson({ user_id: person.user_id, profile_data: { ...before, [id]: { value, rendered_value } } });
  } else {
    const { new_email, ...rest } = person;
    changePerson({ ...rest, ...(new_email && { email: new_email }), ...roleFlags(person) });
  }
  if (person.user_id === myId() && "role" in person) location.reload(); // everything one may do is different
}

/** @param {Event} person */
function roleFlags(person) {
  if (person.role === undefined) return {};
  return { is_owner: person.role === 100, is_admin: person.role <= 200, is_guest: person.role === 600 };
}

/** @param {Event} event */
function statusChanged(event) {
  const { user_id, status_text = "", emoji_name = "", emoji_code = "", reaction_type = "" } = event;
  const before = known.user_status?.[user_id] ?? {};
  const status = { ...before };
  for (const [name, value] of Object.entries({ status_text, emoji_name, emoji_code, reaction_type })) if (name in event) status[name] = value;
  known.user_status = { ...known.user_status, [user_id]: status };
  tell("people", user_id);
}

/** @param {Event} event */
function realmChanged(event) {
  if (event.op === "update_dict") changeRealm(event.data);
  else if (event.op === "update") changeRealm({ [event.property]: event.value });
}

/** Rows of a list that is kept as the register answer has it.
 * @param {string} name
 * @param {Event} event
 * @param {Event[]} rows
 * @param {number | undefined} goneId
 * @param {string} signal
 * @param {string} [key] */
function changeRows(name, event, rows, goneId, signal, key = "id") {
  const gone = new Set([goneId, ...rows.map((row) => row[key])]);
  const others = (known[name] ?? []).filter((/** @type {Event} */ row) => !gone.has(row[key]));
  known[name] = event.op === "remove" ? others : [...others, ...rows];
  tell(signal);
}

/** @param {Event} event */
function groupChanged(event) {
  const groups = known.realm_user_groups ?? [];
  const group = groups.find((/** @type {{id: number}} */ each) => each.id === (event.group_id ?? event.group?.id));
  if (event.op === "add") known.realm_user_groups = [...groups, event.group];
  else if (event.op === "remove") known.realm_user_groups = groups.filter((/** @type {unknown} */ each) => each !== group);
  else if (group && event.op === "update") Object.assign(group, event.data);
  else if (group && event.op === "add_members") group.members = [...new Set([...group.members, ...event.user_ids])];
  else if (group && event.op === "remove_members") group.members = group.members.filter((/** @type {number} */ id) => !event.user_ids.includes(id));
  else if (group && event.op === "add_subgroups") group.direct_subgroup_ids = [...new Set([...group.direct_subgroup_ids, ...event.direct_subgroup_ids])];
  else if (group && event.op === "remove_subgroups") group.direct_subgroup_ids = group.direct_subgroup_ids.filter((/** @type {number} */ id) => !event.direct_subgroup_ids.includes(id));
  tell("people");
}
