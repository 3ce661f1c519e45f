"""Personal settings: every name a user can set, what it may be, and what it is when unset."""

from collections.abc import Callable, Mapping
from typing import Any

from tertulia.domain.languages import LANGUAGES
from tertulia.errors import BadRequest

DEFAULTS: dict[str, Any] = {
    "automatically_follow_topics_policy": 3,
    "automatically_follow_topics_where_mentioned": True,
    "automatically_unmute_topics_in_muted_streams_policy": 2,
    "desktop_icon_count_display": 1,
    "email_notifications_batching_period_seconds": 120,
    "enable_desktop_notifications": True,
    "enable_digest_emails": True,
    "enable_followed_topic_audible_notifications": True,
    "enable_followed_topic_desktop_notifications": True,
    "enable_followed_topic_email_notifications": True,
    "enable_followed_topic_push_notifications": True,
    "enable_followed_topic_wildcard_mentions_notify": True,
    "enable_login_emails": True,
    "enable_marketing_emails": True,
    "enable_offline_email_notifications": True,
    "enable_offline_push_notifications": True,
    "enable_online_push_notifications": True,
    "enable_sounds": True,
    "enable_stream_audible_notifications": False,
    "enable_stream_desktop_notifications": False,
    "enable_stream_email_notifications": False,
    "enable_stream_push_notifications": False,
    "message_content_in_email_notifications": True,
    "notification_sound": "zulip",
    "pm_content_in_desktop_notifications": True,
    "presence_enabled": True,
    "realm_name_in_email_notifications_policy": 1,
    "wildcard_mentions_notify": True,
    "allow_private_data_export": False,
    "color_scheme": 1,
    "default_language": "en",
    "demote_inactive_streams": 1,
    "display_emoji_reaction_users": True,
    "email_address_visibility": 3,
    "emojiset": "google",
    "enable_drafts_synchronization": True,
    "enter_sends": False,
    "fluid_layout_width": False,
    "hide_ai_features": False,
    "high_contrast_mode": False,
    "left_side_userlist": False,
    "receives_typing_notifications": True,
    "resolved_topic_notice_auto_read_policy": "except_followed",
    "send_private_typing_notifications": True,
    "send_read_receipts": True,
    "send_stream_typing_notifications": True,
    "starred_message_counts": True,
    "translate_emoticons": False,
    "twenty_four_hour_time": False,
    "user_list_style": 3,
    "web_animate_image_previews": "on_hover",
    "web_channel_default_view": 1,
    "web_escape_navigates_to_home_view": True,
    "web_font_size_px": 16,
    "web_home_view": "inbox",
    "web_inbox_show_channel_folders": True,
    "web_left_sidebar_show_channel_folders": True,
    "web_left_sidebar_unreads_count_summary": True,
    "web_line_height_percent": 140,
    "web_mark_read_on_scroll_policy": 1,
    "web_navigate_to_sent_message": True,
    "web_stream_unreads_count_display_policy": 2,
    "web_suggest_update_timezone": True,
}

EMOJISETS = [
    {"key": "google", "text": "Google"},
    {"key": "twitter", "text": "Twitter"},
    {"key": "text", "text": "Plain text"},
]

NOTIFICATION_SOUNDS = ["ding", "zulip", "none"]

# What a setting that is not simply on or off may be.
CHOICES: dict[str, list[int] | list[str]] = {
    "automatically_follow_topics_policy": [1, 2, 3, 4],
    "automatically_unmute_topics_in_muted_streams_policy": [1, 2, 3, 4],
    "color_scheme": [1, 2, 3],
    "demote_inactive_streams": [1, 2, 3],
    "desktop_icon_count_display": [1, 2, 3, 4],
    "email_address_visibility": [1, 2, 3, 4, 5],
    "emojiset": [each["key"] for each in EMOJISETS],
    "realm_name_in_email_notifications_policy": [1, 2, 3],
    "resolved_topic_notice_auto_read_policy": ["always", "except_followed", "never"],
    "user_list_style": [1, 2, 3],
    "web_animate_image_previews": ["always", "on_hover", "never"],
    "web_channel_default_view": [1, 2, 3, 4],
    "web_home_view": ["recent", "inbox", "all_messages"],
    "web_mark_read_on_scroll_policy": [1, 2, 3],
    "web_stream_unreads_count_display_policy": [1, 2, 3],
}
BOUNDS = {
    "web_font_size_px": (6, 100),
    "web_line_height_percent": (50, 500),
}
LONGEST_BATCHING_SECONDS = 7 * 24 * 3600


# Under this name an organization keeps what its newcomers start with.
REALM_KEY = "user_settings_defaults"


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings whose values have the right type, in the order in which changes are told."""
    for name in settings.keys() & _CHECKS.keys():
        _CHECKS[name](settings[name])
    return {name: settings[name] for name in DEFAULTS if name in settings}


def for_newcomers(realm_settings: Mapping[str, Any]) -> dict[str, Any]:
    """What differs for new people of an organization from what everybody starts with."""
    return dict(realm_settings.get(REALM_KEY, {}))


def _check_language(value: str) -> None:
    if value not in LANGUAGES:
        raise BadRequest("Invalid default_language")


def _check_sound(value: str) -> None:
    if value not in NOTIFICATION_SOUNDS:
        raise BadRequest(f"Invalid notification sound '{value[:100]}'")


def _check_batching(value: int) -> None:
    if not 0 < value <= LONGEST_BATCHING_SECONDS:
        raise BadRequest(f"Invalid email batching period: {value} seconds")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "default_language": _check_language,
    "notification_sound": _check_sound,
    "email_notifications_batching_period_seconds": _check_batching,
}
