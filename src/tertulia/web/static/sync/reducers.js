/** What each kind of event changes in the stores. One table; the page ignores kinds that are not in it. */

import { callLoaded, lazy } from "../core/lazy.js";
import { emit } from "../core/signals.js";
import { addChannel, channels, folders, updateChannel } from "../state/channels.js";
import { conversationOf, keyOf } from "../state/conversations.js";
import { recordDirectMessage } from "../state/direct_messages.js";
import { applyDraftsEvent, moveDraft } from "../state/drafts.js";
import { forgetOtherLists, insertIntoLists, trimMessageLists } from "../state/message_lists.js";
import {
  cachedMessages,
  findMessage,
  removeMessages,
  setFlag,
  storeMessage,
  updateMessage,
} from "../state/messages.js";
import { people, updatePerson } from "../state/people.js";
import { mergePresence } from "../state/presence.js";
import { myId, state, updateRealm, updateSetting } from "../state/session.js";
import { fetchTopics, invalidateTopics, recordTopic, setPolicy, topicsOf } from "../state/topics.js";
import { applyTypingEvent, clearTyping } from "../state/typing.js";
import { addUnread, clearUnread, moveUnread, removeUnread, restoreUnread } from "../state/unread.js";

/** @typedef {import("../core/api_types.d.ts").ServerEvents} ServerEvents */
/** @typedef {import("../core/api_types.d.ts").ServerEvent} ServerEvent */
/** @typedef {import("../state/messages.js").Message} Message */

/** @type {{[Kind in keyof ServerEvents]?: (event: ServerEvents[Kind]) => void}} */
const reducers = {
  message: onMessage,
  update_message: onMessageUpdate,
  delete_message: onMessageDelete,
  update_message_flags: onFlags,
  reaction: onReaction,
  submessage: onSubmessage,
  typing: applyTypingEvent,
  answer: (event) => callLoaded(lazy("answers", "applyAnswerEvent"), event),
  commands: () => emit("commands"),
  interaction_update: (event) => callLoaded(lazy("apps", "applyInteraction"), event),
  call: (event) => callLoaded(lazy("calls", "applyCall"), event),
  call_signal: (event) => callLoaded(lazy("calls", "applySignal"), event),
  presence: (event) => {
    mergePresence(event.presences ?? {});
    emit("presence");
  },
  subscription: onSubscription,
  stream: onChannel,
  channel_folder: onFolder,
  user_topic: (event) => {
    setPolicy(event.stream_id, event.topic_name, event.visibility_policy);
    emit("topicPolicy", event.stream_id);
    emit("topics", event.stream_id);
    emit("unread");
  },
  muted_users: (event) => {
    state.muted_users = event.muted_users;
    emit("people");
    emit("lists");
  },
  realm_user: onPerson,
  realm_bot: () => emit("people"),
  user_status: onStatus,
  user_settings: (event) => updateSetting(event.property, event.value),
  realm: onRealm,
  realm_emoji: (event) => {
    state.realm_emoji = event.realm_emoji;
    emit("realm");
  },
  realm_linkifiers: (event) => {
    state.realm_linkifiers = event.realm_linkifiers;
  },
  realm_playgrounds: (event) => {
    state.realm_playgrounds = event.realm_playgrounds;
    emit("realm");
  },
  realm_domains: () => emit("realm"),
  custom_profile_fields: (event) => {
    state.custom_profile_fields = event.fields;
    emit("people");
  },
  default_streams: (event) => {
    state.realm_default_streams = event.default_streams;
    emit("realm");
  },
  alert_words: (event) => {
    state.alert_words = event.alert_words;
    emit("settings");
  },
  drafts: applyDraftsEvent,
  saved_snippets: (event) => {
    state.saved_snippets = updatedRows(
      state.saved_snippets,
      event.op,
      event.saved_snippet ? [event.saved_snippet] : [],
      event.saved_snippet_id,
      "id",
    );
    emit("drafts");
  },
  scheduled_messages: (event) => {
    const rows = event.scheduled_messages ?? (event.scheduled_message ? [event.scheduled_message] : []);
    state.scheduled_messages = updatedRows(
      state.scheduled_messages,
      event.op,
      rows,
      event.scheduled_message_id,
      "scheduled_message_id",
    );
    emit("drafts");
  },
  reminders: (event) => {
    state.reminders = updatedRows(state.reminders, event.op, event.reminders ?? [], event.reminder_id, "reminder_id");
    emit("drafts");
  },
  user_group: onGroup,
  invites_changed: () => emit("realm"),
  legal_holds_changed: () => emit("realm"),
  realm_export: () => emit("realm"),
};

const TRIM_INTERVAL = 200; // new messages between two trims of the lists
let messageCount = 0;

/** @param {ServerEvent} event */
export function applyEvent(event) {
  const reduce = /** @type {Record<string, ((event: ServerEvent) => void) | undefined>} */ (
    /** @type {unknown} */ (reducers)
  )[event.type];
  reduce?.(event);
}

/** @param {ServerEvents["message"]} event */
function onMessage(event) {
  const sent = { ...event.message, flags: event.flags ?? [] };
  const message = findMessage(sent.id) ?? storeMessage(sent); // a response may have had it before the event
  addUnread(message);
  recordDirectMessage(message);
  if (message.type === "stream") recordTopic(message.stream_id, message.subject, message.id);
  clearTyping(keyOf(conversationOf(message)), message.sender_id);
  insertIntoLists(message);
  if (++messageCount % TRIM_INTERVAL === 0) trimMessageLists();
  emit("messageArrived", { ...message, local_message_id: event.local_message_id });
  emit("typing");
}

/** @param {ServerEvents["update_message"]} event */
function onMessageUpdate(event) {
  const message = findMessage(event.message_id);
  if (message && event.rendered_content !== undefined) {
    /** @type {Partial<Message>} */
    const changes = { content: event.rendered_content, is_me_message: event.is_me_message, match_content: undefined };
    if (!event.rendering_only) changes.last_edit_timestamp = event.edit_timestamp;
    const flags = (event.flags ?? []).filter((flag) => flag !== "read" && flag !== "starred");
    const ownFlags = message.flags.filter((flag) => flag === "read" || flag === "starred");
    updateMessage(message.id, { ...changes, flags: [...new Set([...ownFlags, ...flags])] });
  }
  const { stream_id } = event;
  if (stream_id !== undefined && (event.orig_subject !== undefined || event.new_stream_id !== undefined))
    onMoved({ ...event, stream_id });
}

/** @param {import("../core/api_types.d.ts").MoveEvent} event */
function onMoved(event) {
  const channel = event.new_stream_id ?? event.stream_id;
  const topic = event.subject ?? event.orig_subject ?? "";
  const ids = event.message_ids;
  for (const id of ids) {
    if (!findMessage(id)) continue;
    updateMessage(id, {
      stream_id: channel,
      subject: topic,
      display_recipient: channels.get(channel)?.name ?? "",
      topic_links: event.topic_links ?? [],
      ...(id !== event.message_id || event.rendered_content === undefined
        ? { last_moved_timestamp: event.edit_timestamp }
        : {}),
    });
  }
  moveUnread(ids, { channel, topic });
  for (const each of new Set([event.stream_id, channel]))
    if (topicsOf(each)) fetchTopics(each).catch(() => invalidateTopics(each));
  forgetOtherLists();
  emit("messagesMoved", ids);
  emit("topicMoved", event); // an open compose box saves its text first
  if (event.propagate_mode !== "change_one")
    moveDraft({ channel: event.stream_id, topic: event.orig_subject ?? topic }, { channel, topic });
}

/** @param {ServerEvents["delete_message"]} event */
function onMessageDelete(event) {
  const ids = event.message_ids ?? (event.message_id ? [event.message_id] : []);
  removeUnread(ids);
  removeMessages(ids);
  state.starred_messages = (state.starred_messages ?? []).filter((id) => !ids.includes(id));
  emit("messagesDeleted", ids);
  if (event.stream_id && topicsOf(event.stream_id)) fetchTopics(event.stream_id).catch(() => {});
}

/** @param {ServerEvents["update_message_flags"]} event */
function onFlags(event) {
  const isSet = event.op === "add" || event.operation === "add";
  if (event.flag === "read") {
    if (isSet && event.all) clearUnread();
    else if (isSet) removeUnread(event.messages);
    else restoreUnread(event.message_details ?? {});
  }
  if (event.flag === "starred") {
    const others = (state.starred_messages ?? []).filter((id) => !event.messages.includes(id));
    state.starred_messages = isSet ? [...others, ...event.messages] : others;
  }
  const ids = event.all ? cachedMessages().map((message) => message.id) : event.messages;
  for (const id of ids) {
    setFlag(id, event.flag, isSet);
    const message = findMessage(id);
    if (message && event.flag === "starred") insertIntoLists(message);
  }
  if (event.flag === "starred") emit("unread"); // the sidebar counts them, too
}

/** @param {ServerEvents["reaction"]} event */
function onReaction(event) {
  const message = findMessage(event.message_id);
  if (!message) return;
  const { user_id, emoji_name, emoji_code, reaction_type } = event;
  const others = message.reactions.filter(
    (each) => !(each.user_id === user_id && each.emoji_code === emoji_code && each.reaction_type === reaction_type),
  );
  updateMessage(message.id, {
    reactions: event.op === "add" ? [...others, { user_id, emoji_name, emoji_code, reaction_type }] : others,
  });
}

/** @param {ServerEvents["submessage"]} event */
function onSubmessage(event) {
  const message = findMessage(event.message_id);
  if (!message || message.submessages.some((each) => each.id === event.submessage_id)) return;
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event;
  updateMessage(message.id, {
    submessages: [...message.submessages, { id, message_id, sender_id, msg_type, content }],
  });
}

/** @param {ServerEvents["subscription"]} event */
function onSubscription(event) {
  if (event.op === "add") for (const channel of event.subscriptions) addChannel(channel, true);
  if (event.op === "remove")
    for (const { stream_id } of event.subscriptions) updateChannel(stream_id, { subscribed: false });
  if (event.op === "update") updateChannel(event.stream_id, { [event.property]: event.value });
  emit("channels");
  emit("unread");
}

/** @param {ServerEvents["stream"]} event */
function onChannel(event) {
  if (event.op === "create")
    for (const channel of event.streams) addChannel(channel, channels.get(channel.stream_id)?.subscribed ?? false);
  if (event.op === "delete") for (const id of event.stream_ids) channels.delete(id);
  if (event.op === "update") {
    const more = event.property === "description" ? { rendered_description: event.rendered_description } : {};
    updateChannel(event.stream_id, { [event.property]: event.value, ...more });
  }
  emit("channels");
}

/** @param {ServerEvents["channel_folder"]} event */
function onFolder(event) {
  if (event.op === "add") folders.set(event.channel_folder.id, event.channel_folder);
  if (event.op === "update") Object.assign(folders.get(event.channel_folder_id) ?? {}, event.data);
  if (event.op === "reorder") event.order.forEach((id, order) => Object.assign(folders.get(id) ?? {}, { order }));
  emit("folders");
}

/** @param {ServerEvents["realm_user"]} event */
function onPerson({ person, op }) {
  if (op === "add") updatePerson({ ...person, is_active: true });
  else if (op === "remove") people.delete(person.user_id);
  else if (person.custom_profile_field) {
    const { id, value, rendered_value } = person.custom_profile_field;
    const before = people.get(person.user_id)?.profile_data ?? {};
    updatePerson({ user_id: person.user_id, profile_data: { ...before, [id]: { value, rendered_value } } });
  } else {
    const { new_email, ...rest } = person;
    updatePerson({ ...rest, ...(new_email && { email: new_email }), ...roleFlags(person.role) });
  }
  if (person.user_id === myId() && "role" in person) location.reload(); // all permissions may have changed
}

/** @param {number | undefined} role */
function roleFlags(role) {
  if (role === undefined) return {};
  return { is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 };
}

/** @param {ServerEvents["user_status"]} event */
function onStatus(event) {
  const { user_id, status_text, emoji_name, emoji_code, reaction_type, ends_at } = event;
  const changes = Object.entries({ status_text, emoji_name, emoji_code, reaction_type, ends_at }).filter(
    ([, value]) => value !== undefined,
  );
  state.user_status = {
    ...state.user_status,
    [user_id]: { ...state.user_status?.[user_id], ...Object.fromEntries(changes) },
  };
  emit("people", user_id);
}

/** @param {ServerEvents["realm"]} event */
function onRealm(event) {
  if (event.op === "update_dict") updateRealm(event.data);
  else if (event.op === "update") updateRealm({ [event.property]: event.value });
}

/** A list of the snapshot after an event that adds, changes or removes rows.
 * @template Row
 * @param {Row[] | undefined} before
 * @param {string} op
 * @param {Row[]} rows the new versions
 * @param {number | undefined} removedId
 * @param {keyof Row} key the field that identifies a row */
function updatedRows(before, op, rows, removedId, key) {
  const replaced = new Set([removedId, ...rows.map((row) => row[key])]);
  const others = (before ?? []).filter((row) => !replaced.has(row[key]));
  return op === "remove" ? others : [...others, ...rows];
}

/** @param {ServerEvents["user_group"]} event */
function onGroup(event) {
  const groups = state.realm_user_groups ?? [];
  const group = groups.find((each) => each.id === (event.group_id ?? event.group?.id));
  if (event.op === "add") state.realm_user_groups = [...groups, event.group];
  else if (event.op === "remove") state.realm_user_groups = groups.filter((each) => each !== group);
  else if (group) updateGroup(group, event);
  emit("people");
}

/** @param {import("../state/types.d.ts").Group} group
 * @param {Exclude<ServerEvents["user_group"], {op: "add" | "remove"}>} event */
function updateGroup(group, event) {
  if (event.op === "update") Object.assign(group, event.data);
  else if (event.op === "add_members") group.members = [...new Set([...group.members, ...event.user_ids])];
  else if (event.op === "remove_members") group.members = group.members.filter((id) => !event.user_ids.includes(id));
  else if (event.op === "add_subgroups")
    group.direct_subgroup_ids = [...new Set([...group.direct_subgroup_ids, ...event.direct_subgroup_ids])];
  else group.direct_subgroup_ids = group.direct_subgroup_ids.filter((id) => !event.direct_subgroup_ids.includes(id));
}
