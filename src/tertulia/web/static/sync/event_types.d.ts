/** Events of the server, as far as the page reads them. Every event also has an `id` and its `type`. */

import type { Schemas } from "../core/api_types.d.ts";
import type { Channel } from "../state/channels.js";
import type { Person } from "../state/people.js";
import type { Group, SettingValue, Snapshot, Status } from "../state/types.d.ts";

export interface UpdateMessageEvent {
  message_id: number;
  message_ids: number[];
  stream_id: number;
  rendering_only?: boolean;
  rendered_content?: string;
  is_me_message?: boolean;
  edit_timestamp?: number;
  flags?: string[];
  orig_subject?: string;
  subject?: string;
  new_stream_id?: number;
  topic_links?: { [key: string]: string }[];
  propagate_mode?: string;
}

export interface TypingEvent {
  op: "start" | "stop";
  message_type: string;
  sender: { user_id: number };
  recipients?: { user_id: number }[];
  stream_id?: number;
  topic?: string;
}

export interface AnswerEvent {
  op: "start" | "update" | "stop" | "end";
  answer_token: string;
  sender_id: number;
  asked_by: number | null;
  started: number;
  stream_id?: number;
  topic?: string;
  user_ids?: number[];
  position?: number;
  content?: string;
  status_line?: string;
  message_id?: number | null;
}

export type DraftsEvent =
  | { op: "add"; drafts: Schemas["DraftObject"][] }
  | { op: "update"; draft: Schemas["DraftObject"] }
  | { op: "remove"; draft_id: number };

/** Where a message is that became unread again. */
export interface UnreadDetails {
  type: string;
  stream_id?: number;
  topic?: string;
  user_ids?: number[];
  mentioned?: boolean;
}

export interface ServerEvents {
  message: { message: Schemas["MessageObject"]; flags?: string[]; local_message_id?: string };
  update_message: UpdateMessageEvent;
  delete_message: { message_ids?: number[]; message_id?: number; stream_id?: number };
  update_message_flags: { op?: string; operation?: string; flag: string; all?: boolean; messages: number[]; message_details?: Record<string, UnreadDetails> };
  reaction: { op: string; message_id: number; user_id: number; emoji_name: string; emoji_code: string; reaction_type: string };
  submessage: { message_id: number; submessage_id: number; sender_id: number; msg_type: string; content: string };
  typing: TypingEvent;
  answer: AnswerEvent;
  presence: { presences?: Snapshot["presences"] };
  subscription:
    | { op: "add" | "remove"; subscriptions: Schemas["SubscriptionObject"][] }
    | { op: "update"; stream_id: number; property: string; value: SettingValue }
    | { op: "peer_add" | "peer_remove" };
  stream:
    | { op: "create"; streams: Schemas["ChannelObject"][] }
    | { op: "delete"; streams?: { stream_id: number }[]; stream_ids?: number[] }
    | { op: "update"; stream_id: number; property: string; value: SettingValue; rendered_description?: string };
  channel_folder:
    | { op: "add"; channel_folder: Schemas["FolderObject"] }
    | { op: "update"; channel_folder_id: number; data: Partial<Schemas["FolderObject"]> }
    | { op: "reorder"; order: number[] };
  user_topic: { stream_id: number; topic_name: string; visibility_policy: number };
  muted_users: { muted_users: Snapshot["muted_users"] };
  realm_user: {
    op: "add" | "update" | "remove";
    person: Partial<Person> & { user_id: number; new_email?: string; custom_profile_field?: { id: number; value: string; rendered_value?: string } };
  };
  realm_bot: object;
  user_status: Status & { user_id: number };
  user_settings: { property: string; value: SettingValue };
  realm: { op: "update"; property: string; value: unknown } | { op: "update_dict"; data: Record<string, unknown> } | { op: "deactivated" };
  realm_emoji: { realm_emoji: Snapshot["realm_emoji"] };
  realm_linkifiers: { realm_linkifiers: Snapshot["realm_linkifiers"] };
  realm_playgrounds: { realm_playgrounds: Snapshot["realm_playgrounds"] };
  realm_domains: object;
  custom_profile_fields: { fields: Snapshot["custom_profile_fields"] };
  default_streams: { default_streams: Snapshot["realm_default_streams"] };
  alert_words: { alert_words: string[] };
  drafts: DraftsEvent;
  saved_snippets: { op: string; saved_snippet?: Schemas["SnippetObject"]; saved_snippet_id?: number };
  scheduled_messages: {
    op: string;
    scheduled_messages?: Schemas["ScheduledMessageObject"][];
    scheduled_message?: Schemas["ScheduledMessageObject"];
    scheduled_message_id?: number;
  };
  reminders: { op: string; reminders?: Schemas["ReminderObject"][]; reminder_id?: number };
  user_group:
    | { op: "add"; group: Group; group_id?: undefined }
    | { op: "remove"; group_id: number; group?: undefined }
    | { op: "update"; group_id: number; data: Partial<Group>; group?: undefined }
    | { op: "add_members"; group_id: number; user_ids: number[]; group?: undefined }
    | { op: "remove_members"; group_id: number; user_ids: number[]; group?: undefined }
    | { op: "add_subgroups"; group_id: number; direct_subgroup_ids: number[]; group?: undefined }
    | { op: "remove_subgroups"; group_id: number; direct_subgroup_ids: number[]; group?: undefined };
  invites_changed: object;
  legal_holds_changed: object;
}

export type ServerEvent = { id: number; type: string };
