/** Types of what the server sends at the start: the response to a register call, as far as the page reads it. */

import type { Schemas } from "../core/api_types.d.ts";

type Registered = Schemas["Registered"];
export type SettingValue = string | number | boolean | null;

/** Personal settings that change how the page behaves. */
export interface UserSettings {
  color_scheme: number;
  desktop_icon_count_display: number;
  enable_desktop_notifications: boolean;
  enable_drafts_synchronization: boolean;
  enable_followed_topic_desktop_notifications: boolean;
  enable_sounds: boolean;
  enable_stream_desktop_notifications: boolean;
  enter_sends: boolean;
  pm_content_in_desktop_notifications: boolean;
  presence_enabled: boolean;
  quiet_hours: string;
  send_private_typing_notifications: boolean;
  send_stream_typing_notifications: boolean;
  starred_message_counts: boolean;
  twenty_four_hour_time: boolean | null;
  web_channel_default_view: number;
  web_escape_navigates_to_home_view: boolean;
  web_font_size_px: number;
  web_home_view: string;
  web_mark_read_on_scroll_policy: number;
  wildcard_mentions_notify: boolean;
}

export interface Status {
  status_text?: string;
  emoji_name?: string;
  emoji_code?: string;
  reaction_type?: string;
  /** In seconds; null after an end was removed. */
  ends_at?: number | null;
}

/** What the description of the API leaves open, or the page gets in another form. */
interface Refined {
  alert_words: string[];
  position: number;
  presences: Record<string, { active_timestamp?: number; idle_timestamp?: number }>;
  queue_id: string;
  unread_msgs: {
    streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
    pms: { other_user_id?: number; sender_id: number; unread_message_ids: number[] }[];
    huddles: { user_ids_string: string; unread_message_ids: number[] }[];
    mentions: number[];
  };
  user_settings: Partial<UserSettings> & Record<string, SettingValue | undefined>;
  user_status: Record<string, Status>;
}

/** The response to a register call. The page itself comes with one, and the id of its last event: `position`. */
export type Snapshot = Partial<Omit<Registered, keyof Refined> & Refined>;

/** Names of facts about the organization: `name` for `realm_name`. */
export type RealmName = keyof Registered extends infer Key ? (Key extends `realm_${infer Name}` ? Name : never) : never;

export type Group = Schemas["GroupObject"];

/** Who has a permission: a group by its id, or people and groups. */
export type Permission = number | Schemas["Members"];
