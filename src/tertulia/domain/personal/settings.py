"""Personal settings: one table with everything about each of them.

The table defines the parameters of `PATCH /settings` and `PATCH /realm/user_settings_defaults`,
their rules, the `/register` response and `docs/personal-settings.md`. Clients get a user's settings
as `user_settings`, and the organization's defaults for new users.
"""

from collections.abc import Mapping
from typing import Any

from tertulia import domain
from tertulia.domain.setting_values import Adjustable, ChosenFrom, Language, Switch, Whole

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
            "Which topics one follows by oneself: those one takes part in (1), writes in (2) "
            "or begins (3), or none (4).",
        ),
        Adjustable(
            "automatically_follow_topics_where_mentioned",
            _SWITCH,
            True,
            "Whether one follows topics in which one is mentioned.",
        ),
        Adjustable(
            "automatically_unmute_topics_in_muted_streams_policy",
            ChosenFrom((1, 2, 3, 4)),
            2,
            "Which topics of muted channels are unmuted: those one takes part in (1), writes "
            "in (2) or begins (3), or none (4).",
        ),
        Adjustable(
            "desktop_icon_count_display",
            ChosenFrom((1, 2, 3, 4)),
            1,
            "What the number on the icon counts: all unread messages (1), those addressed to "
            "one and of followed topics (2), those addressed to one (3), or nothing (4).",
        ),
        Adjustable(
            "email_notifications_batching_period_seconds",
            Whole(1, 7 * 24 * 3600),
            120,
            "How long mail about messages waits for more of them.",
            refusal=domain.setting_values.in_words(
                "Invalid email batching period: {value} seconds"
            ),
        ),
        Adjustable(
            "enable_desktop_notifications",
            _SWITCH,
            True,
            "Whether the desktop notifies of what is addressed to one.",
        ),
        Adjustable("enable_digest_emails", _SWITCH, True, "Whether one wants digests by mail."),
        Adjustable(
            "enable_followed_topic_audible_notifications",
            _SWITCH,
            True,
            "Whether followed topics make a sound.",
        ),
        Adjustable(
            "enable_followed_topic_desktop_notifications",
            _SWITCH,
            True,
            "Whether the desktop notifies of followed topics.",
        ),
        Adjustable(
            "enable_followed_topic_email_notifications",
            _SWITCH,
            True,
            "Whether one wants mail about followed topics.",
        ),
        Adjustable(
            "enable_followed_topic_push_notifications",
            _SWITCH,
            True,
            "Whether phones notify of followed topics.",
        ),
        Adjustable(
            "enable_followed_topic_wildcard_mentions_notify",
            _SWITCH,
            True,
            "Whether calls to all in followed topics count as addressed to one.",
        ),
        Adjustable(
            "enable_login_emails",
            _SWITCH,
            True,
            "Whether one wants mail when somebody logs in to one's account.",
        ),
        Adjustable(
            "enable_marketing_emails", _SWITCH, True, "Whether one wants mail that advertises."
        ),
        Adjustable(
            "enable_offline_email_notifications",
            _SWITCH,
            True,
            "Whether one wants mail about what is addressed to one while away.",
        ),
        Adjustable(
            "enable_offline_push_notifications",
            _SWITCH,
            True,
            "Whether phones notify of what is addressed to one while away.",
        ),
        Adjustable(
            "enable_online_push_notifications",
            _SWITCH,
            True,
            "Whether phones notify while one is here, too.",
        ),
        Adjustable(
            "enable_sounds", _SWITCH, True, "Whether what is addressed to one makes a sound."
        ),
        Adjustable(
            "enable_stream_audible_notifications",
            _SWITCH,
            False,
            "Whether messages in channels make a sound.",
        ),
        Adjustable(
            "enable_stream_desktop_notifications",
            _SWITCH,
            False,
            "Whether the desktop notifies of messages in channels.",
        ),
        Adjustable(
            "enable_stream_email_notifications",
            _SWITCH,
            False,
            "Whether one wants mail about messages in channels.",
        ),
        Adjustable(
            "enable_stream_push_notifications",
            _SWITCH,
            False,
            "Whether phones notify of messages in channels.",
        ),
        Adjustable(
            "message_content_in_email_notifications",
            _SWITCH,
            True,
            "Whether mail about messages may hold their text.",
        ),
        Adjustable(
            "notification_sound",
            ChosenFrom(tuple(NOTIFICATION_SOUNDS)),
            "zulip",
            "The sound of notifications.",
            refusal=domain.setting_values.in_words("Invalid notification sound '{value}'"),
        ),
        Adjustable(
            "pm_content_in_desktop_notifications",
            _SWITCH,
            True,
            "Whether desktop notifications show the text of direct messages.",
        ),
        Adjustable("presence_enabled", _SWITCH, True, "Whether others are told when one is here."),
        Adjustable(
            "realm_name_in_email_notifications_policy",
            ChosenFrom((1, 2, 3)),
            1,
            "Whether mail names the organization: as needed (1), always (2) or never (3).",
        ),
        Adjustable(
            "wildcard_mentions_notify",
            _SWITCH,
            True,
            "Whether calls to all count as addressed to one.",
        ),
        Adjustable(
            "allow_private_data_export",
            _SWITCH,
            False,
            "Whether administrators may export one's private data.",
        ),
        Adjustable(
            "color_scheme",
            ChosenFrom((1, 2, 3)),
            1,
            "The colours: as the system has them (1), dark (2) or light (3).",
        ),
        Adjustable(
            "default_language",
            Language(),
            "en",
            "The language in which clients speak.",
            refusal=domain.setting_values.in_words("Invalid default_language"),
        ),
        Adjustable(
            "demote_inactive_streams",
            ChosenFrom((1, 2, 3)),
            1,
            "Whether quiet channels are put aside: when there are many (1), always (2) or "
            "never (3).",
        ),
        Adjustable(
            "display_emoji_reaction_users",
            _SWITCH,
            True,
            "Whether reactions name those who reacted.",
        ),
        Adjustable(
            "email_address_visibility",
            ChosenFrom((1, 2, 3, 4, 5)),
            3,
            "Who sees one's address: everyone (1), members (2), administrators (3), nobody "
            "(4) or moderators (5).",
        ),
        Adjustable(
            "emojiset",
            ChosenFrom(tuple(each["key"] for each in EMOJISETS)),
            "google",
            "How emoji are drawn.",
        ),
        Adjustable(
            "enable_drafts_synchronization",
            _SWITCH,
            True,
            "Whether drafts are kept on the server for all of one's clients.",
        ),
        Adjustable("enter_sends", _SWITCH, False, "Whether the Enter key sends."),
        Adjustable(
            "fluid_layout_width",
            _SWITCH,
            False,
            "Whether the page takes the whole width of the window.",
        ),
        Adjustable(
            "hide_ai_features",
            _SWITCH,
            False,
            "Whether clients hide what is done by language models.",
        ),
        Adjustable("high_contrast_mode", _SWITCH, False, "Whether colours stand out more."),
        Adjustable(
            "left_side_userlist",
            _SWITCH,
            False,
            "Whether the list of people is on the left in narrow windows.",
        ),
        Adjustable(
            "receives_typing_notifications",
            _SWITCH,
            True,
            "Whether one is told that others are typing.",
        ),
        Adjustable(
            "resolved_topic_notice_auto_read_policy",
            ChosenFrom(("always", "except_followed", "never")),
            "except_followed",
            "Whether notices of resolved topics count as read at once.",
        ),
        Adjustable(
            "send_private_typing_notifications",
            _SWITCH,
            True,
            "Whether others are told that one types a direct message.",
        ),
        Adjustable("send_read_receipts", _SWITCH, True, "Whether others see what one has read."),
        Adjustable(
            "send_stream_typing_notifications",
            _SWITCH,
            True,
            "Whether others are told that one types in a channel.",
        ),
        Adjustable(
            "starred_message_counts",
            _SWITCH,
            True,
            "Whether the number of starred messages is shown.",
        ),
        Adjustable(
            "translate_emoticons",
            _SWITCH,
            False,
            "Whether emoticons in one's messages become emoji.",
        ),
        Adjustable("twenty_four_hour_time", _SWITCH, False, "Whether hours are counted to 24."),
        Adjustable(
            "user_list_style",
            ChosenFrom((1, 2, 3)),
            3,
            "How people are listed: by name (1), with their status (2) or with their picture "
            "too (3).",
        ),
        Adjustable(
            "web_animate_image_previews",
            ChosenFrom(("always", "on_hover", "never")),
            "on_hover",
            "When pictures that move do so.",
        ),
        Adjustable(
            "web_channel_default_view",
            ChosenFrom((1, 2, 3, 4)),
            1,
            "Where a click on a channel leads: its newest topic (1), the whole channel (2), "
            "its list of topics (3) or its newest unread topic (4).",
        ),
        Adjustable(
            "web_escape_navigates_to_home_view", _SWITCH, True, "Whether the Escape key leads home."
        ),
        Adjustable("web_font_size_px", Whole(6, 100), 16, "The size of letters, in pixels."),
        Adjustable(
            "web_home_view",
            ChosenFrom(("recent", "inbox", "all_messages")),
            "inbox",
            "What one sees first.",
        ),
        Adjustable(
            "web_inbox_show_channel_folders",
            _SWITCH,
            True,
            "Whether the inbox is ordered by channel folders.",
        ),
        Adjustable(
            "web_left_sidebar_show_channel_folders",
            _SWITCH,
            True,
            "Whether the sidebar is ordered by channel folders.",
        ),
        Adjustable(
            "web_left_sidebar_unreads_count_summary",
            _SWITCH,
            True,
            "Whether the sidebar sums up unread messages.",
        ),
        Adjustable(
            "web_line_height_percent",
            Whole(50, 500),
            140,
            "The distance of lines, in percent of the size of letters.",
        ),
        Adjustable(
            "web_mark_read_on_scroll_policy",
            ChosenFrom((1, 2, 3)),
            1,
            "Whether what one scrolls past counts as read: always (1), in conversations (2) "
            "or never (3).",
        ),
        Adjustable(
            "web_navigate_to_sent_message",
            _SWITCH,
            True,
            "Whether one is led to what one has sent.",
        ),
        Adjustable(
            "web_stream_unreads_count_display_policy",
            ChosenFrom((1, 2, 3)),
            2,
            "Of which channels unread messages are counted: all (1), those that are not "
            "muted (2) or none (3).",
        ),
        Adjustable(
            "web_suggest_update_timezone",
            _SWITCH,
            True,
            "Whether one is asked about a new time zone when the clock of the device says so.",
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


def for_newcomers(realm_settings: Mapping[str, Any]) -> dict[str, Any]:
    """The organization's defaults for new users, where they differ from the server's."""
    return dict(realm_settings.get(REALM_KEY, {}))
