"""Personal settings: one table with everything about each of them.

The table defines the parameters of `PATCH /settings` and `PATCH /realm/user_settings_defaults`,
their rules, the `/register` response, the forms of the page and `docs/personal-settings.md`.
Clients get a user's settings as `user_settings`, and the organization's defaults for new users.
The catalogue has the label, `set.NAME`, and the names of values, `set.NAME.VALUE`. A setting that
the page does not show has one English sentence there, `api.NAME`.
"""

from collections.abc import Mapping
from typing import Any

from tertulia.domain.setting_values import (
    Adjustable,
    ChosenFrom,
    DailyHours,
    Heading,
    Language,
    Switch,
    Whole,
    english,
    refusal_with_value,
)

EMOJISETS = [
    {"key": "google", "text": "Google"},
    {"key": "twitter", "text": "Twitter"},
    {"key": "text", "text": "Plain text"},
]

NOTIFICATION_SOUNDS = ["ding", "zulip", "none"]


class PersonalSetting(Adjustable, frozen=True):
    @property
    def meaning(self) -> str:
        if self.heading is None:
            return english(f"api.{self.name}")
        label = f"{english(f'part.{self.heading.title}')}: {english(f'set.{self.name}')}."
        return f"{label}{self._values('set')}"


# The key under which an organization stores its defaults for new users.
REALM_KEY = "user_settings_defaults"

_SWITCH = Switch()
_TOPICS_POLICY = ChosenFrom((1, 2, 3, 4), texts="topics_policy")

# The headings of the page, by section.
_LOOK = Heading("preferences", "look")
_READING = Heading("preferences", "reading")
_WRITING = Heading("preferences", "writing")
_HERE = Heading("notifications", "here")
_AWAY = Heading("notifications", "away")
_BY_MAIL = Heading("notifications", "by-mail")
_QUIET = Heading("notifications", "quiet")
_TOPICS = Heading("notifications", "topics")
_SHARING = Heading("account-and-privacy", "sharing")

# Events of changes made together have this order.
PREFERENCES: dict[str, PersonalSetting] = {
    setting.name: setting
    for setting in (
        PersonalSetting("color_scheme", _LOOK, ChosenFrom((1, 2, 3)), 1),
        PersonalSetting(
            "default_language",
            _LOOK,
            Language(),
            "en",
            refusal=refusal_with_value("Invalid default_language"),
        ),
        PersonalSetting("twenty_four_hour_time", _LOOK, _SWITCH, False),
        PersonalSetting("web_font_size_px", _LOOK, Whole(6, 100), 16),
        PersonalSetting("starred_message_counts", _LOOK, _SWITCH, True),
        PersonalSetting(
            "web_home_view", _READING, ChosenFrom(("inbox", "recent", "all_messages")), "inbox"
        ),
        PersonalSetting("web_mark_read_on_scroll_policy", _READING, ChosenFrom((1, 2, 3)), 1),
        PersonalSetting("web_channel_default_view", _READING, ChosenFrom((1, 2, 3, 4)), 1),
        PersonalSetting("web_escape_navigates_to_home_view", _READING, _SWITCH, True),
        PersonalSetting("enter_sends", _WRITING, _SWITCH, False),
        PersonalSetting("translate_emoticons", _WRITING, _SWITCH, False),
        PersonalSetting("enable_drafts_synchronization", _WRITING, _SWITCH, True),
        PersonalSetting("receives_typing_notifications", _WRITING, _SWITCH, True),
        PersonalSetting("enable_desktop_notifications", _HERE, _SWITCH, True),
        PersonalSetting("enable_sounds", _HERE, _SWITCH, True),
        PersonalSetting("pm_content_in_desktop_notifications", _HERE, _SWITCH, True),
        PersonalSetting("enable_followed_topic_desktop_notifications", _HERE, _SWITCH, True),
        PersonalSetting("enable_stream_desktop_notifications", _HERE, _SWITCH, False),
        PersonalSetting("wildcard_mentions_notify", _HERE, _SWITCH, True),
        PersonalSetting("enable_offline_push_notifications", _AWAY, _SWITCH, True),
        PersonalSetting("enable_online_push_notifications", _AWAY, _SWITCH, True),
        PersonalSetting("enable_followed_topic_push_notifications", _AWAY, _SWITCH, True),
        PersonalSetting("enable_stream_push_notifications", _AWAY, _SWITCH, False),
        PersonalSetting("enable_offline_email_notifications", _BY_MAIL, _SWITCH, True),
        PersonalSetting("enable_followed_topic_email_notifications", _BY_MAIL, _SWITCH, True),
        PersonalSetting("enable_stream_email_notifications", _BY_MAIL, _SWITCH, False),
        PersonalSetting("message_content_in_email_notifications", _BY_MAIL, _SWITCH, True),
        PersonalSetting("enable_login_emails", _BY_MAIL, _SWITCH, True),
        PersonalSetting(
            "email_notifications_batching_period_seconds",
            _BY_MAIL,
            Whole(1, 7 * 24 * 3600),
            120,
            refusal=refusal_with_value("Invalid email batching period: {value} seconds"),
        ),
        PersonalSetting("quiet_hours", _QUIET, DailyHours(), ""),
        PersonalSetting("enable_calls_in_quiet_hours", _QUIET, _SWITCH, False),
        PersonalSetting("automatically_follow_topics_policy", _TOPICS, _TOPICS_POLICY, 3),
        PersonalSetting(
            "automatically_unmute_topics_in_muted_streams_policy", _TOPICS, _TOPICS_POLICY, 2
        ),
        PersonalSetting("automatically_follow_topics_where_mentioned", _TOPICS, _SWITCH, True),
        PersonalSetting("email_address_visibility", _SHARING, ChosenFrom((1, 2, 3, 4, 5)), 3),
        PersonalSetting("send_read_receipts", _SHARING, _SWITCH, True),
        PersonalSetting("presence_enabled", _SHARING, _SWITCH, True),
        PersonalSetting("send_private_typing_notifications", _SHARING, _SWITCH, True),
        PersonalSetting("send_stream_typing_notifications", _SHARING, _SWITCH, True),
        PersonalSetting("allow_private_data_export", _SHARING, _SWITCH, False),
        # The page does not show these.
        PersonalSetting("desktop_icon_count_display", None, ChosenFrom((1, 2, 3, 4)), 1),
        PersonalSetting("enable_digest_emails", None, _SWITCH, True),
        PersonalSetting("enable_followed_topic_audible_notifications", None, _SWITCH, True),
        PersonalSetting("enable_followed_topic_wildcard_mentions_notify", None, _SWITCH, True),
        PersonalSetting("enable_marketing_emails", None, _SWITCH, True),
        PersonalSetting("enable_stream_audible_notifications", None, _SWITCH, False),
        PersonalSetting(
            "notification_sound",
            None,
            ChosenFrom(tuple(NOTIFICATION_SOUNDS)),
            "zulip",
            refusal=refusal_with_value("Invalid notification sound '{value}'"),
        ),
        PersonalSetting("realm_name_in_email_notifications_policy", None, ChosenFrom((1, 2, 3)), 1),
        PersonalSetting("demote_inactive_streams", None, ChosenFrom((1, 2, 3)), 1),
        PersonalSetting("display_emoji_reaction_users", None, _SWITCH, True),
        PersonalSetting(
            "emojiset", None, ChosenFrom(tuple(each["key"] for each in EMOJISETS)), "google"
        ),
        PersonalSetting("fluid_layout_width", None, _SWITCH, False),
        PersonalSetting("hide_ai_features", None, _SWITCH, False),
        PersonalSetting("high_contrast_mode", None, _SWITCH, False),
        PersonalSetting("left_side_userlist", None, _SWITCH, False),
        PersonalSetting(
            "resolved_topic_notice_auto_read_policy",
            None,
            ChosenFrom(("always", "except_followed", "never")),
            "except_followed",
        ),
        PersonalSetting("user_list_style", None, ChosenFrom((1, 2, 3)), 3),
        PersonalSetting(
            "web_animate_image_previews",
            None,
            ChosenFrom(("always", "on_hover", "never")),
            "on_hover",
        ),
        PersonalSetting("web_inbox_show_channel_folders", None, _SWITCH, True),
        PersonalSetting("web_left_sidebar_show_channel_folders", None, _SWITCH, True),
        PersonalSetting("web_left_sidebar_unreads_count_summary", None, _SWITCH, True),
        PersonalSetting("web_line_height_percent", None, Whole(50, 500), 140),
        PersonalSetting("web_navigate_to_sent_message", None, _SWITCH, True),
        PersonalSetting("web_stream_unreads_count_display_policy", None, ChosenFrom((1, 2, 3)), 2),
        PersonalSetting("web_suggest_update_timezone", None, _SWITCH, True),
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
