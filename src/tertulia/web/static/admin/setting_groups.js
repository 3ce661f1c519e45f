/** Where each setting of the organization is: section, heading and order. The server says the rest: `GET /realm/settings`. */

/** @typedef {Record<string, string[]>} Groups names of settings by heading */

/** @type {Record<string, Groups>} by the section's address */
export const SETTING_GROUPS = {
  "organization-profile": {
    "part.identity": ["name", "description", "default_language", "org_type", "want_advertise_in_communities_directory"],
  },
  "organization-settings": {
    "part.writing": ["allow_message_editing", "message_content_edit_limit_seconds", "message_content_delete_limit_seconds", "message_edit_history_visibility_policy", "inline_image_preview", "inline_url_embed_preview", "media_preview_size", "gif_rating_policy", "default_code_block_language"],
    "part.topics": ["topics_policy", "move_messages_within_stream_limit_seconds", "move_messages_between_streams_limit_seconds", "send_channel_events_messages"],
    "part.privacy": ["enable_read_receipts", "presence_disabled", "enable_topic_summaries", "message_retention_days", "deleted_message_grace_days", "owner_full_content_access"],
    "part.calls": ["video_chat_provider", "jitsi_server_url"],
    "part.mail": ["digest_emails_enabled", "digest_weekday", "message_content_allowed_in_email_notifications", "require_e2ee_push_notifications", "send_welcome_emails"],
    "part.welcome": ["welcome_message_custom_text"],
    "part.announcements": ["new_stream_announcements_stream_id", "signup_announcements_stream_id", "moderation_request_channel_id", "zulip_update_announcements_stream_id"],
    "part.people": ["name_changes_disabled", "email_changes_disabled", "avatar_changes_disabled", "require_unique_names", "default_avatar_source", "enable_guest_user_indicator", "enable_guest_user_dm_warning", "enable_agent_access"],
    "part.visitors": ["enable_spectator_access", "enable_public_pages"],
  },
  "organization-permissions": {
    "part.channels": ["can_create_public_channel_group", "can_create_private_channel_group", "can_create_web_public_channel_group", "can_add_subscribers_group", "can_mention_many_users_group", "can_set_topics_policy_group", "can_set_delete_message_policy_group"],
    "part.messages": ["can_delete_own_message_group", "can_delete_any_message_group", "can_move_messages_between_topics_group", "can_move_messages_between_channels_group", "can_resolve_topics_group", "can_summarize_topics_group"],
    "part.inviting": ["can_invite_users_group", "create_multiuse_invite_group", "can_access_all_users_group", "direct_message_initiator_group", "direct_message_permission_group", "can_create_groups", "can_manage_all_groups"],
    "part.other": ["can_add_custom_emoji_group", "can_create_bots_group", "can_create_write_only_bots_group", "can_manage_billing_group", "workplace_users_group"],
  },
  "auth-methods": {
    "part.login": ["authentication_methods", "require_second_factor"],
    "part.joining": ["invite_required", "waiting_period_threshold", "emails_restricted_to_domains", "disallow_disposable_email_addresses"],
  },
};

/** Personal settings whose defaults are in the section of new accounts, by heading.
 * @type {Groups} */
export const DEFAULT_GROUPS = {
  "display.look": ["color_scheme", "web_font_size_px", "twenty_four_hour_time", "web_home_view", "web_mark_read_on_scroll_policy", "web_escape_navigates_to_home_view", "starred_message_counts"],
  "part.writing": ["enter_sends", "translate_emoticons", "enable_drafts_synchronization"],
  "settings.notifications": ["enable_desktop_notifications", "enable_stream_desktop_notifications", "enable_followed_topic_desktop_notifications", "enable_sounds", "pm_content_in_desktop_notifications", "wildcard_mentions_notify"],
  "part.mail": ["enable_offline_email_notifications", "enable_stream_email_notifications", "enable_followed_topic_email_notifications", "message_content_in_email_notifications", "email_notifications_batching_period_seconds", "enable_login_emails"],
  "part.topics": ["automatically_follow_topics_policy", "automatically_unmute_topics_in_muted_streams_policy", "automatically_follow_topics_where_mentioned"],
  "part.sharing": ["email_address_visibility", "presence_enabled", "send_read_receipts", "send_private_typing_notifications", "send_stream_typing_notifications", "receives_typing_notifications", "allow_private_data_export"],
};
