"""The organization: changing its settings."""

from typing import Annotated, Any, Literal

import msgspec

from tertulia.actions import realm_settings
from tertulia.actions.composing import describe
from tertulia.api.call import Call
from tertulia.api.permission_values import Change, NewValue
from tertulia.domain import limits
from tertulia.domain.groups import PermissionChange
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

Seconds = Annotated[int | str, Json]  # or the word "unlimited", in quotes

# Compat: what has a word is answered as its number, and texts only as changed.
_NUMBERS = {
    "topics_policy": {ALLOW_EMPTY: 2, DISABLE_EMPTY: 3},
    "message_edit_history_visibility_policy": {"all": 1, "moves": 2, "none": 3},
}
_TEXTS = ("name", "description", "default_language")


async def edit(
    call: Call,
    *,
    name: Annotated[str, Stripped, NotBlank, MaxLength(40)] | None = None,
    description: Annotated[str, MaxLength(1000)] | None = None,
    allow_message_editing: bool | None = None,
    message_content_edit_limit_seconds: Seconds | None = None,
    message_content_delete_limit_seconds: Seconds | None = None,
    move_messages_within_stream_limit_seconds: Seconds | None = None,
    move_messages_between_streams_limit_seconds: Seconds | None = None,
    message_edit_history_visibility_policy: Literal["all", "moves", "none"] | None = None,
    message_retention_days: Annotated[int | str, BareOrJson] | None = None,
    topics_policy: Annotated[Literal["allow_empty_topic", "disable_empty_topic"], BareOrJson]
    | None = None,
    default_language: Annotated[str, MaxLength(20)] | None = None,
    default_code_block_language: Annotated[str, MaxLength(50)] | None = None,
    waiting_period_threshold: Annotated[int, NonNegative(), AtMost(36_500)] | None = None,
    enable_spectator_access: bool | None = None,
    enable_read_receipts: bool | None = None,
    enable_guest_user_indicator: bool | None = None,
    enable_guest_user_dm_warning: bool | None = None,
    send_channel_events_messages: bool | None = None,
    send_welcome_emails: bool | None = None,
    invite_required: bool | None = None,
    emails_restricted_to_domains: bool | None = None,
    disallow_disposable_email_addresses: bool | None = None,
    inline_image_preview: bool | None = None,
    inline_url_embed_preview: bool | None = None,
    media_preview_size: Annotated[int, AtLeast(50), AtMost(1000)] | None = None,
    name_changes_disabled: bool | None = None,
    email_changes_disabled: bool | None = None,
    avatar_changes_disabled: bool | None = None,
    require_unique_names: bool | None = None,
    digest_emails_enabled: bool | None = None,
    digest_weekday: Literal[0, 1, 2, 3, 4, 5, 6] | None = None,
    message_content_allowed_in_email_notifications: bool | None = None,
    require_e2ee_push_notifications: bool | None = None,
    authentication_methods: dict[str, bool] | None = None,
    video_chat_provider: Literal[0, 1] | None = None,
    jitsi_server_url: Annotated[
        str, MaxLength(limits.WEB_ADDRESS_LENGTH), WebAddress("default"), BareOrJson
    ]
    | None = None,
    gif_rating_policy: Literal[0, 1, 2, 3, 4] | None = None,
    welcome_message_custom_text: Annotated[str, MaxLength(8000)] | None = None,
    default_avatar_source: Literal["J", "G"] | None = None,
    want_advertise_in_communities_directory: bool | None = None,
    owner_full_content_access: bool | None = None,
    presence_disabled: bool | None = None,
    org_type: Annotated[int, NonNegative(), AtMost(1000)] | None = None,
    new_stream_announcements_stream_id: int | None = None,
    signup_announcements_stream_id: int | None = None,
    zulip_update_announcements_stream_id: int | None = None,
    moderation_request_channel_id: int | None = None,
    can_access_all_users_group: Change | None = None,
    can_add_custom_emoji_group: Change | None = None,
    can_add_subscribers_group: Change | None = None,
    can_create_bots_group: Change | None = None,
    can_create_groups: Change | None = None,
    can_create_private_channel_group: Change | None = None,
    can_create_public_channel_group: Change | None = None,
    can_create_web_public_channel_group: Change | None = None,
    can_create_write_only_bots_group: Change | None = None,
    can_delete_any_message_group: Change | None = None,
    can_delete_own_message_group: Change | None = None,
    can_invite_users_group: Change | None = None,
    can_manage_all_groups: Change | None = None,
    can_manage_billing_group: Change | None = None,
    can_mention_many_users_group: Change | None = None,
    can_move_messages_between_channels_group: Change | None = None,
    can_move_messages_between_topics_group: Change | None = None,
    can_resolve_topics_group: Change | None = None,
    can_set_delete_message_policy_group: Change | None = None,
    can_set_topics_policy_group: Change | None = None,
    can_summarize_topics_group: Change | None = None,
    create_multiuse_invite_group: Change | None = None,
    direct_message_initiator_group: Change | None = None,
    direct_message_permission_group: Change | None = None,
    workplace_users_group: Change | None = None,
) -> Encoded[Reply]:
    """Change the organization's settings; the answer names those that have changed."""
    plain: dict[str, Any] = {
        "name": name,
        "description": description,
        "allow_message_editing": allow_message_editing,
        "message_content_edit_limit_seconds": message_content_edit_limit_seconds,
        "message_content_delete_limit_seconds": message_content_delete_limit_seconds,
        "move_messages_within_stream_limit_seconds": move_messages_within_stream_limit_seconds,
        "move_messages_between_streams_limit_seconds": move_messages_between_streams_limit_seconds,
        "message_edit_history_visibility_policy": message_edit_history_visibility_policy,
        "message_retention_days": message_retention_days,
        "topics_policy": topics_policy,
        "default_language": default_language,
        "default_code_block_language": default_code_block_language,
        "waiting_period_threshold": waiting_period_threshold,
        "enable_spectator_access": enable_spectator_access,
        "enable_read_receipts": enable_read_receipts,
        "enable_guest_user_indicator": enable_guest_user_indicator,
        "enable_guest_user_dm_warning": enable_guest_user_dm_warning,
        "send_channel_events_messages": send_channel_events_messages,
        "send_welcome_emails": send_welcome_emails,
        "invite_required": invite_required,
        "emails_restricted_to_domains": emails_restricted_to_domains,
        "disallow_disposable_email_addresses": disallow_disposable_email_addresses,
        "inline_image_preview": inline_image_preview,
        "inline_url_embed_preview": inline_url_embed_preview,
        "media_preview_size": media_preview_size,
        "name_changes_disabled": name_changes_disabled,
        "email_changes_disabled": email_changes_disabled,
        "avatar_changes_disabled": avatar_changes_disabled,
        "require_unique_names": require_unique_names,
        "digest_emails_enabled": digest_emails_enabled,
        "digest_weekday": digest_weekday,
        "message_content_allowed_in_email_notifications": (
            message_content_allowed_in_email_notifications
        ),
        "require_e2ee_push_notifications": require_e2ee_push_notifications,
        "authentication_methods": authentication_methods,
        "video_chat_provider": video_chat_provider,
        "jitsi_server_url": jitsi_server_url,
        "gif_rating_policy": gif_rating_policy,
        "welcome_message_custom_text": welcome_message_custom_text,
        "default_avatar_source": default_avatar_source,
        "want_advertise_in_communities_directory": want_advertise_in_communities_directory,
        "owner_full_content_access": owner_full_content_access,
        "presence_disabled": presence_disabled,
        "org_type": org_type,
        "new_stream_announcements_stream_id": new_stream_announcements_stream_id,
        "signup_announcements_stream_id": signup_announcements_stream_id,
        "zulip_update_announcements_stream_id": zulip_update_announcements_stream_id,
        "moderation_request_channel_id": moderation_request_channel_id,
    }
    permissions: dict[str, NewValue | None] = {
        "can_access_all_users_group": can_access_all_users_group,
        "can_add_custom_emoji_group": can_add_custom_emoji_group,
        "can_add_subscribers_group": can_add_subscribers_group,
        "can_create_bots_group": can_create_bots_group,
        "can_create_groups": can_create_groups,
        "can_create_private_channel_group": can_create_private_channel_group,
        "can_create_public_channel_group": can_create_public_channel_group,
        "can_create_web_public_channel_group": can_create_web_public_channel_group,
        "can_create_write_only_bots_group": can_create_write_only_bots_group,
        "can_delete_any_message_group": can_delete_any_message_group,
        "can_delete_own_message_group": can_delete_own_message_group,
        "can_invite_users_group": can_invite_users_group,
        "can_manage_all_groups": can_manage_all_groups,
        "can_manage_billing_group": can_manage_billing_group,
        "can_mention_many_users_group": can_mention_many_users_group,
        "can_move_messages_between_channels_group": can_move_messages_between_channels_group,
        "can_move_messages_between_topics_group": can_move_messages_between_topics_group,
        "can_resolve_topics_group": can_resolve_topics_group,
        "can_set_delete_message_policy_group": can_set_delete_message_policy_group,
        "can_set_topics_policy_group": can_set_topics_policy_group,
        "can_summarize_topics_group": can_summarize_topics_group,
        "create_multiuse_invite_group": create_multiuse_invite_group,
        "direct_message_initiator_group": direct_message_initiator_group,
        "direct_message_permission_group": direct_message_permission_group,
        "workplace_users_group": workplace_users_group,
    }
    changed = await call.db.write(
        realm_settings.edit,
        call.user,
        {name: value for name, value in plain.items() if value is not None},
        {
            name: PermissionChange(value.new, value.old)
            for name, value in permissions.items()
            if value is not None
        },
        await describe(call.author, description or ""),
    )
    return Encoded(
        msgspec.json.encode({name: _answer(name, value) for name, value in changed.items()})
    )


def _answer(name: str, value: Any) -> Any:
    if name in _TEXTS:
        return "updated"
    return _NUMBERS.get(name, {}).get(value, value) if isinstance(value, str) else value
