"""The organization: changing its settings."""

from typing import Annotated, Any, Literal

import msgspec

from tertulia.actions import realm_settings
from tertulia.actions.composing import describe
from tertulia.api.call import Call
from tertulia.api.permission_values import Change, as_changes
from tertulia.domain import limits
from tertulia.domain.groups import REALM_PERMISSIONS
from tertulia.domain.topics import ALLOW_EMPTY, DISABLE_EMPTY
from tertulia.http.replies import Encoded, Reply
from tertulia.http.rules import (
    AtLeast,
    AtMost,
    BareOrJson,
    Json,
    MaxLength,
    NonNegative,
    NotBlank,
    Stripped,
    WebAddress,
)
from tertulia.http.signatures import takes

Seconds = Annotated[int | str, Json]  # or the word "unlimited", in quotes

SETTINGS: dict[str, Any] = {
    "name": Annotated[str, Stripped, NotBlank, MaxLength(40)],
    "description": Annotated[str, MaxLength(1000)],
    "allow_message_editing": bool,
    "message_content_edit_limit_seconds": Seconds,
    "message_content_delete_limit_seconds": Seconds,
    "move_messages_within_stream_limit_seconds": Seconds,
    "move_messages_between_streams_limit_seconds": Seconds,
    "message_edit_history_visibility_policy": Literal["all", "moves", "none"],
    "message_retention_days": Annotated[int | str, BareOrJson],
    "topics_policy": Annotated[Literal["allow_empty_topic", "disable_empty_topic"], BareOrJson],
    "default_language": Annotated[str, MaxLength(20)],
    "default_code_block_language": Annotated[str, MaxLength(50)],
    "waiting_period_threshold": Annotated[int, NonNegative(), AtMost(36_500)],
    "enable_spectator_access": bool,
    "enable_read_receipts": bool,
    "enable_guest_user_indicator": bool,
    "enable_guest_user_dm_warning": bool,
    "send_channel_events_messages": bool,
    "send_welcome_emails": bool,
    "invite_required": bool,
    "emails_restricted_to_domains": bool,
    "disallow_disposable_email_addresses": bool,
    "inline_image_preview": bool,
    "inline_url_embed_preview": bool,
    "media_preview_size": Annotated[int, AtLeast(50), AtMost(1000)],
    "name_changes_disabled": bool,
    "email_changes_disabled": bool,
    "avatar_changes_disabled": bool,
    "require_unique_names": bool,
    "digest_emails_enabled": bool,
    "digest_weekday": Literal[0, 1, 2, 3, 4, 5, 6],
    "message_content_allowed_in_email_notifications": bool,
    "require_e2ee_push_notifications": bool,
    "authentication_methods": dict[str, bool],
    "video_chat_provider": Literal[0, 1],
    "jitsi_server_url": Annotated[
        str, MaxLength(limits.WEB_ADDRESS_LENGTH), WebAddress("default"), BareOrJson
    ],
    "gif_rating_policy": Literal[0, 1, 2, 3, 4],
    "welcome_message_custom_text": Annotated[str, MaxLength(8000)],
    "default_avatar_source": Literal["J", "G"],
    "want_advertise_in_communities_directory": bool,
    "owner_full_content_access": bool,
    "presence_disabled": bool,
    "org_type": Annotated[int, NonNegative(), AtMost(1000)],
    "new_stream_announcements_stream_id": int,
    "signup_announcements_stream_id": int,
    "zulip_update_announcements_stream_id": int,
    "moderation_request_channel_id": int,
}
PERMISSIONS = dict.fromkeys(REALM_PERMISSIONS, Change)

# Compat: what has a word is answered as its number, and texts only as changed.
_NUMBERS = {
    "topics_policy": {ALLOW_EMPTY: 2, DISABLE_EMPTY: 3},
    "message_edit_history_visibility_policy": {"all": 1, "moves": 2, "none": 3},
}
_TEXTS = ("name", "description", "default_language")


@takes(SETTINGS | PERMISSIONS)
async def edit(call: Call, **values: Any) -> Encoded[Reply]:
    """Change the organization's settings; the answer names those that have changed."""
    changed = await call.db.write(
        realm_settings.edit,
        call.user,
        {name: value for name, value in values.items() if name in SETTINGS},
        as_changes({name: value for name, value in values.items() if name in PERMISSIONS}),
        await describe(call.author, values.get("description", "")),
    )
    return Encoded(
        msgspec.json.encode({name: _answer(name, value) for name, value in changed.items()})
    )


def _answer(name: str, value: Any) -> Any:
    if name in _TEXTS:
        return "updated"
    return _NUMBERS.get(name, {}).get(value, value) if isinstance(value, str) else value
