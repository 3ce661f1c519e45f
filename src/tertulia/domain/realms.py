"""Organizations and their settings: every name, and what it is when nobody has set it."""

import re
from dataclasses import dataclass, field
from typing import Any

from tertulia.domain.groups import REALM_PERMISSIONS, GroupValue
from tertulia.domain.topics import ALLOW_EMPTY, DISABLE_EMPTY, EMPTY_ONLY
from tertulia.errors import BadRequest

# Group-valued settings are in `groups.REALM_PERMISSIONS`.
DEFAULTS: dict[str, Any] = {
    "allow_message_editing": True,
    "avatar_changes_disabled": False,
    "default_avatar_source": "J",
    "default_code_block_language": "",
    "default_language": "en",
    "description": "",
    "digest_emails_enabled": False,
    "digest_weekday": 1,
    "disallow_disposable_email_addresses": True,
    "email_auth_enabled": True,
    "email_changes_disabled": False,
    "emails_restricted_to_domains": False,
    "enable_guest_user_dm_warning": True,
    "enable_guest_user_indicator": True,
    "enable_read_receipts": True,
    "enable_spectator_access": False,
    "gif_rating_policy": 1,
    "inline_image_preview": True,
    "inline_url_embed_preview": False,
    "invite_required": True,
    "jitsi_server_url": None,
    "media_preview_size": 100,
    "message_content_allowed_in_email_notifications": True,
    "message_content_delete_limit_seconds": 600,
    "message_content_edit_limit_seconds": 600,
    "message_edit_history_visibility_policy": "all",
    "message_retention_days": -1,
    "moderation_request_channel_id": -1,
    "move_messages_between_streams_limit_seconds": 604_800,
    "move_messages_within_stream_limit_seconds": 604_800,
    "name_changes_disabled": False,
    "new_stream_announcements_stream_id": -1,
    "org_type": 0,
    "owner_full_content_access": False,
    "presence_disabled": False,
    "require_e2ee_push_notifications": False,
    "require_unique_names": False,
    "send_channel_events_messages": False,
    "send_welcome_emails": True,
    "signup_announcements_stream_id": -1,
    "topics_policy": "allow_empty_topic",
    "video_chat_provider": 1,
    "waiting_period_threshold": 0,
    "want_advertise_in_communities_directory": False,
    "welcome_message_custom_text": "",
    "zulip_update_announcements_stream_id": -1,
}

# Numbers where no value at all is a value of its own: no limit, no server of one's own.
NULLABLE = {
    "jitsi_server_url",
    "message_content_delete_limit_seconds",
    "message_content_edit_limit_seconds",
    "move_messages_between_streams_limit_seconds",
    "move_messages_within_stream_limit_seconds",
}

# Settings that are one of a few values.
CHOICES: dict[str, tuple[Any, ...]] = {
    "digest_weekday": tuple(range(7)),
    "media_preview_size": (100, 150, 200),
    "message_edit_history_visibility_policy": ("all", "moves", "none"),
    "topics_policy": (ALLOW_EMPTY, DISABLE_EMPTY, EMPTY_ONLY),
}
LARGEST_NUMBER = 2**31 - 1
LONGEST_TEXT = 1000

_SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Realm:
    id: int
    subdomain: str
    name: str
    uuid: str
    created_at: float
    deactivated: bool = False
    settings: dict[str, Any] = field(default_factory=dict)

    def setting(self, name: str) -> Any:
        return self.settings.get(name, DEFAULTS[name])

    def permissions(self) -> dict[str, GroupValue]:
        """The permissions that were set; the others are at their defaults."""
        return {name: value for name, value in self.settings.items() if name in REALM_PERMISSIONS}


def login_methods(realm: Realm) -> dict[str, bool]:
    """The ways to log in that there are, and whether each is open."""
    return {"Email": bool(realm.setting("email_auth_enabled"))}


def checked_subdomain(text: str) -> str:
    """Empty stands for the organization at the bare host."""
    if text and _SUBDOMAIN.fullmatch(text) is None:
        raise BadRequest(
            "A subdomain consists of lower-case letters, digits and inner hyphens (at most 40)."
        )
    return text


def checked_realm_name(text: str) -> str:
    name = text.strip()
    if not name or len(name) > 40 or not name.isprintable():
        raise BadRequest("An organization's name has 1 to 40 characters.")
    return name


def checked_setting(name: str, value: Any) -> Any:
    """A value that a plain setting may have; refuses unknown names and all other values."""
    if name not in DEFAULTS:
        raise BadRequest(f"Unknown organization setting '{name}'")
    default = DEFAULTS[name]
    if value is None and name in NULLABLE:
        return None
    expected = str if default is None else type(default)
    if type(value) is not expected:
        raise BadRequest(f"{name} must be of type {expected.__name__}")
    choices = CHOICES.get(name)
    if choices is not None and value not in choices:
        raise BadRequest(f"{name} must be one of: {', '.join(map(str, choices))}")
    least = -1 if default == -1 else 0
    if expected is int and not least <= int(value) <= LARGEST_NUMBER:
        raise BadRequest(f"{name} must be from {least} to {LARGEST_NUMBER}")
    if expected is str and len(value) > LONGEST_TEXT:
        raise BadRequest(f"{name} has at most {LONGEST_TEXT} characters")
    return value
