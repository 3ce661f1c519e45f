"""Personal settings: one table with everything about each of them.

The table defines the parameters of `PATCH /settings` and `PATCH /realm/user_settings_defaults`,
their rules, the `/register` response and `docs/personal-settings.md`. Clients get a user's settings
as `user_settings`, and the organization's defaults for new users.
"""

from collections.abc import Mapping
from typing import Any

from tertulia.domain.setting_values import (
    Adjustable,
    ChosenFrom,
    Language,
    Switch,
    Whole,
    refusal_with_value,
)

EMOJISETS = [
    {"key": "google", "text": "Google"},
    {"key": "twitter", "text": "Twitter"},
    {"key": "text", "text": "Plain text"},
]

NOTIFICATION_SOUNDS = ["ding", "zulip", "none"]

# The key under which an organization stores its defaults for new users.
REALM_KEY = "user_settings_defaults"

_SWITCH = Switch()

# Events of changes made together have this order.
PREFERENCES: dict[str, Adjustable] = {
    setting.name: setting
    for setting in (
        Adjustable(
            "automatically_follow_topics_policy",
            ChosenFrom((1, 2, 3, 4)),
            3,
            "Topics to follow automatically: those that you take part in (1), send to (2), "
            "start (3), or none (4).",
        ),
        Adjustable(
            "automatically_follow_topics_where_mentioned",
            _SWITCH,
            True,
            "Follow topics in which you are mentioned.",
        ),
        Adjustable(
            "automatically_unmute_topics_in_muted_streams_policy",
            ChosenFrom((1, 2, 3, 4)),
            2,
            "Topics of muted channels to unmute automatically: those that you take part in (1), "
            "send to (2), start (3), or none (4).",
        ),
        Adjustable(
            "desktop_icon_count_display",
            ChosenFrom((1, 2, 3, 4)),
            1,
            "The count on the app icon: all unread messages (1), direct messages, mentions and "
            "followed topics (2), direct messages and mentions (3), or none (4).",
        ),
        Adjustable(
            "email_notifications_batching_period_seconds",
            Whole(1, 7 * 24 * 3600),
            120,
            "How long a mail about missed messages waits for more messages, in seconds.",
            refusal=refusal_with_value("Invalid email batching period: {value} seconds"),
        ),
        Adjustable(
            "enable_desktop_notifications",
            _SWITCH,
            True,
            "Desktop notifications for direct messages and mentions.",
        ),
        Adjustable("enable_digest_emails", _SWITCH, True, "Digests by mail."),
        Adjustable(
            "enable_followed_topic_audible_notifications",
            _SWITCH,
            True,
            "A sound for followed topics.",
        ),
        Adjustable(
            "enable_followed_topic_desktop_notifications",
            _SWITCH,
            True,
            "Desktop notifications for followed topics.",
        ),
        Adjustable(
            "enable_followed_topic_email_notifications",
            _SWITCH,
            True,
            "Mail about followed topics.",
        ),
        Adjustable(
            "enable_followed_topic_push_notifications",
            _SWITCH,
            True,
            "Push notifications for followed topics.",
        ),
        Adjustable(
            "enable_followed_topic_wildcard_mentions_notify",
            _SWITCH,
            True,
            "Wildcard mentions in followed topics count as mentions.",
        ),
        Adjustable(
            "enable_login_emails",
            _SWITCH,
            True,
            "A mail about logins to your account from a new network or browser.",
        ),
        Adjustable("enable_marketing_emails", _SWITCH, True, "Advertising by mail."),
        Adjustable(
            "enable_offline_email_notifications",
            _SWITCH,
            True,
            "Mail about direct messages and mentions while you are away.",
        ),
        Adjustable(
            "enable_offline_push_notifications",
            _SWITCH,
            True,
            "Push notifications for direct messages and mentions while you are away.",
        ),
        Adjustable(
            "enable_online_push_notifications",
            _SWITCH,
            True,
            "Push notifications also while you are active.",
        ),
        Adjustable("enable_sounds", _SWITCH, True, "A sound for direct messages and mentions."),
        Adjustable(
            "enable_stream_audible_notifications",
            _SWITCH,
            False,
            "A sound for messages in channels.",
        ),
        Adjustable(
            "enable_stream_desktop_notifications",
            _SWITCH,
            False,
            "Desktop notifications for messages in channels.",
        ),
        Adjustable(
            "enable_stream_email_notifications",
            _SWITCH,
            False,
            "Mail about messages in channels.",
        ),
        Adjustable(
            "enable_stream_push_notifications",
            _SWITCH,
            False,
            "Push notifications for messages in channels.",
        ),
        Adjustable(
            "message_content_in_email_notifications",
            _SWITCH,
            True,
            "Mails about missed messages contain the text of messages.",
        ),
        Adjustable(
            "notification_sound",
            ChosenFrom(tuple(NOTIFICATION_SOUNDS)),
            "zulip",
            "The sound of notifications.",
            refusal=refusal_with_value("Invalid notification sound '{value}'"),
        ),
        Adjustable(
            "pm_content_in_desktop_notifications",
            _SWITCH,
            True,
            "Desktop notifications show the text of direct messages.",
        ),
        Adjustable("presence_enabled", _SWITCH, True, "Other users can see when you are active."),
        Adjustable(
            "realm_name_in_email_notifications_policy",
            ChosenFrom((1, 2, 3)),
            1,
            "Whether mails name the organization: if you have several (1), always (2) or never "
            "(3).",
        ),
        Adjustable(
            "wildcard_mentions_notify",
            _SWITCH,
            True,
            "Wildcard mentions count as mentions.",
        ),
        Adjustable(
            "allow_private_data_export",
            _SWITCH,
            False,
            "Administrators may export your private data.",
        ),
        Adjustable(
            "color_scheme",
            ChosenFrom((1, 2, 3)),
            1,
            "The color scheme: automatic (1), dark (2) or light (3).",
        ),
        Adjustable(
            "default_language",
            Language(),
            "en",
            "The language of clients.",
            refusal=refusal_with_value("Invalid default_language"),
        ),
        Adjustable(
            "demote_inactive_streams",
            ChosenFrom((1, 2, 3)),
            1,
            "Whether inactive channels are listed last: automatic (1), always (2) or never (3).",
        ),
        Adjustable(
            "display_emoji_reaction_users",
            _SWITCH,
            True,
            "Show the names of users on reactions.",
        ),
        Adjustable(
            "email_address_visibility",
            ChosenFrom((1, 2, 3, 4, 5)),
            3,
            "Who can see your email address: everyone (1), members (2), administrators (3), no "
            "one (4) or moderators (5).",
        ),
        Adjustable(
            "emojiset",
            ChosenFrom(tuple(each["key"] for each in EMOJISETS)),
            "google",
            "The emoji style.",
        ),
        Adjustable(
            "enable_drafts_synchronization",
            _SWITCH,
            True,
            "Synchronize drafts between your clients.",
        ),
        Adjustable("enter_sends", _SWITCH, False, "The Enter key sends."),
        Adjustable(
            "fluid_layout_width",
            _SWITCH,
            False,
            "Use the full width of the window.",
        ),
        Adjustable(
            "hide_ai_features",
            _SWITCH,
            False,
            "Hide features that use language models.",
        ),
        Adjustable("high_contrast_mode", _SWITCH, False, "High contrast."),
        Adjustable(
            "left_side_userlist",
            _SWITCH,
            False,
            "Show the user list on the left in narrow windows.",
        ),
        Adjustable(
            "receives_typing_notifications",
            _SWITCH,
            True,
            "Show when others are typing.",
        ),
        Adjustable(
            "resolved_topic_notice_auto_read_policy",
            ChosenFrom(("always", "except_followed", "never")),
            "except_followed",
            "Whether notices about resolved topics are marked as read automatically.",
        ),
        Adjustable(
            "send_private_typing_notifications",
            _SWITCH,
            True,
            "Other users can see when you type a direct message.",
        ),
        Adjustable(
            "send_read_receipts",
            _SWITCH,
            True,
            ("Other users can see which messages you have read."),
        ),
        Adjustable(
            "send_stream_typing_notifications",
            _SWITCH,
            True,
            "Other users can see when you type in a channel.",
        ),
        Adjustable(
            "starred_message_counts",
            _SWITCH,
            True,
            "Show the number of starred messages.",
        ),
        Adjustable(
            "translate_emoticons",
            _SWITCH,
            False,
            "Convert emoticons in your messages to emoji.",
        ),
        Adjustable("twenty_four_hour_time", _SWITCH, False, "24-hour time."),
        Adjustable(
            "user_list_style",
            ChosenFrom((1, 2, 3)),
            3,
            "The style of the user list: names (1), with status (2), with status and avatar (3).",
        ),
        Adjustable(
            "web_animate_image_previews",
            ChosenFrom(("always", "on_hover", "never")),
            "on_hover",
            "When animated images play.",
        ),
        Adjustable(
            "web_channel_default_view",
            ChosenFrom((1, 2, 3, 4)),
            1,
            "What a click on a channel opens: its newest topic (1), the channel (2), its topic "
            "list (3) or its newest unread topic (4).",
        ),
        Adjustable(
            "web_escape_navigates_to_home_view",
            _SWITCH,
            True,
            ("The Escape key opens the home view."),
        ),
        Adjustable("web_font_size_px", Whole(6, 100), 16, "The font size, in pixels."),
        Adjustable(
            "web_home_view",
            ChosenFrom(("recent", "inbox", "all_messages")),
            "inbox",
            "The home view.",
        ),
        Adjustable(
            "web_inbox_show_channel_folders",
            _SWITCH,
            True,
            "Group the inbox by channel folders.",
        ),
        Adjustable(
            "web_left_sidebar_show_channel_folders",
            _SWITCH,
            True,
            "Group the sidebar by channel folders.",
        ),
        Adjustable(
            "web_left_sidebar_unreads_count_summary",
            _SWITCH,
            True,
            "Show a summary of unread counts in the sidebar.",
        ),
        Adjustable(
            "web_line_height_percent",
            Whole(50, 500),
            140,
            "The line height, in percent of the font size.",
        ),
        Adjustable(
            "web_mark_read_on_scroll_policy",
            ChosenFrom((1, 2, 3)),
            1,
            "Whether scrolling marks messages as read: always (1), in conversation views only "
            "(2) or never (3).",
        ),
        Adjustable(
            "web_navigate_to_sent_message",
            _SWITCH,
            True,
            "Go to the conversation of a sent message.",
        ),
        Adjustable(
            "web_stream_unreads_count_display_policy",
            ChosenFrom((1, 2, 3)),
            2,
            "Channels with an unread count: all (1), unmuted ones (2) or none (3).",
        ),
        Adjustable(
            "web_suggest_update_timezone",
            _SWITCH,
            True,
            "Ask to update the time zone when the device has another one.",
        ),
    )
}

DEFAULTS: dict[str, Any] = {name: setting.default for name, setting in PREFERENCES.items()}


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Valid settings, in the order of events."""
    return {
        name: setting.checked(settings[name])
        for name, setting in PREFERENCES.items()
        if name in settings
    }


def defaults_for_new_users(realm_settings: Mapping[str, Any]) -> dict[str, Any]:
    """The organization's defaults for new users, where they differ from the server's."""
    return dict(realm_settings.get(REALM_KEY, {}))
