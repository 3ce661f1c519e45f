"""The mobile app as a reader of our answers: rejects a missing key or another type.

Each class has the fields that the app requires, and nothing more; a field that is optional there
has a default here.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

CAPABILITIES = {
    "notification_settings_null": True,
    "bulk_message_deletion": True,
    "user_avatar_url_field_optional": True,
    "stream_typing_notifications": True,
    "user_settings_object": True,
    "include_deactivated_groups": True,
    "empty_topic_name": True,
    "individual_emoji_changes": True,
}
OPTIONS = {
    "apply_markdown": True,
    "client_gravatar": False,
    "slim_presence": True,
    "client_capabilities": CAPABILITIES,
}

Color = Annotated[str, Meta(pattern=r"^#[0-9a-f]{6}$")]
EmojiType = Literal["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]


class GroupValue(Struct):
    direct_members: list[int]
    direct_subgroups: list[int]


class ServerSettings(Struct):
    authentication_methods: dict[str, bool]
    external_authentication_methods: list[dict[str, Any]]
    zulip_feature_level: Annotated[int, Meta(ge=371)]
    zulip_version: Annotated[str, Meta(pattern=r"^\d+\.\d+")]
    zulip_merge_base: str
    push_notifications_enabled: bool
    is_incompatible: bool
    email_auth_enabled: bool
    require_email_format_usernames: bool
    realm_uri: str
    realm_name: str
    realm_icon: str
    realm_description: str
    realm_web_public_access_enabled: bool


class ProfileValue(Struct):
    value: str
    rendered_value: str | None = None


class User(Struct):
    user_id: int
    email: str
    full_name: str
    date_joined: str
    is_bot: bool
    role: Literal[100, 200, 300, 400, 600]
    timezone: str
    avatar_version: int
    delivery_email: str | None = None
    bot_type: int | None = None
    bot_owner_id: int | None = None
    avatar_url: str | None = None
    profile_data: dict[int, ProfileValue] | None = None


class Channel(Struct):
    stream_id: int
    name: str
    description: str
    rendered_description: str
    date_created: int
    invite_only: bool
    is_web_public: bool
    history_public_to_subscribers: bool
    first_message_id: int | None = None
    message_retention_days: int | None = None
    stream_weekly_traffic: int | None = None
    folder_id: int | None = None
    can_send_message_group: int | GroupValue | None = None


class Subscription(Channel, kw_only=True):
    pin_to_top: bool
    is_muted: bool
    color: Color
    desktop_notifications: bool | None = None
    email_notifications: bool | None = None
    wildcard_mentions_notify: bool | None = None
    push_notifications: bool | None = None
    audible_notifications: bool | None = None


class Group(Struct):
    id: int
    name: str
    description: str
    members: list[int]
    direct_subgroup_ids: list[int]
    is_system_group: bool
    deactivated: bool = False


class Emoji(Struct):
    id: str
    name: str
    source_url: str
    deactivated: bool
    still_url: str | None
    author_id: int | None


class ProfileField(Struct):
    id: int
    type: Literal[1, 2, 3, 4, 5, 6, 7, 8]
    order: int
    name: str
    hint: str
    field_data: str
    display_in_profile_summary: bool = False


class Mute(Struct):
    id: int
    timestamp: int


class Presence(Struct):
    active_timestamp: int
    idle_timestamp: int


class Conversation(Struct):
    max_message_id: int
    user_ids: list[int]


class UnreadWithOne(Struct):
    other_user_id: int
    unread_message_ids: list[int]


class UnreadInTopic(Struct):
    stream_id: int
    topic: str
    unread_message_ids: list[int]


class UnreadWithSome(Struct):
    user_ids_string: Annotated[str, Meta(pattern=r"^\d+(,\d+)+$")]
    unread_message_ids: list[int]


class Unread(Struct):
    count: int
    pms: list[UnreadWithOne]
    streams: list[UnreadInTopic]
    huddles: list[UnreadWithSome]
    mentions: list[int]
    old_unreads_missing: bool


class Status(Struct):
    status_text: str | None = None
    emoji_name: str | None = None
    emoji_code: str | None = None
    reaction_type: EmojiType | None = None


class UserTopic(Struct):
    stream_id: int
    topic_name: str
    last_updated: int
    visibility_policy: Literal[0, 1, 2, 3]


class Settings(Struct):
    twenty_four_hour_time: bool
    starred_message_counts: bool
    display_emoji_reaction_users: bool
    emojiset: str
    presence_enabled: bool


class Snippet(Struct):
    id: int
    title: str
    content: str
    date_created: int


class ExternalAccount(Struct):
    name: str
    text: str
    hint: str
    url_pattern: str


class Snapshot(Struct):
    """The answer to POST /register."""

    queue_id: str
    last_event_id: int
    zulip_feature_level: int
    zulip_version: str
    zulip_merge_base: str
    alert_words: list[str]
    custom_profile_fields: list[ProfileField]
    muted_users: list[Mute]
    presences: dict[int, Presence]
    realm_emoji: dict[str, Emoji]
    realm_user_groups: list[Group]
    recent_private_conversations: list[Conversation]
    subscriptions: list[Subscription]
    streams: list[Channel]
    unread_msgs: Unread
    starred_messages: list[int]
    user_status: dict[int, Status]
    user_settings: Settings
    user_topics: list[UserTopic]
    realm_users: list[User]
    realm_non_active_users: list[User]
    cross_realm_bots: list[User]
    realm_name: str
    realm_icon_url: str
    realm_wildcard_mention_policy: Literal[1, 2, 3, 5, 6, 7]
    realm_waiting_period_threshold: int
    realm_message_content_delete_limit_seconds: int | None
    realm_allow_message_editing: bool
    realm_message_content_edit_limit_seconds: int | None
    realm_enable_read_receipts: bool
    realm_presence_disabled: bool
    realm_default_external_accounts: dict[str, ExternalAccount]
    max_stream_name_length: int
    max_topic_length: int
    max_file_upload_size_mib: int
    server_presence_ping_interval_seconds: int
    server_presence_offline_threshold_seconds: int
    server_emoji_data_url: str
    event_queue_longpoll_timeout_seconds: int
    saved_snippets: list[Snippet]
    channel_folders: list[dict[str, Any]]
    devices: dict[str, Any]
    realm_topics_policy: str
    realm_mandatory_topics: bool
    realm_can_delete_any_message_group: int | GroupValue
    realm_can_delete_own_message_group: int | GroupValue
    server_thumbnail_formats: list[dict[str, Any]]
    realm_moderation_request_channel_id: int
    realm_empty_topic_display_name: str
    server_report_message_types: list[dict[str, str]]
    server_typing_started_wait_period_milliseconds: int
    server_typing_stopped_wait_period_milliseconds: int
    server_typing_started_expiry_period_milliseconds: int


class Reaction(Struct):
    emoji_name: str
    emoji_code: str
    reaction_type: EmojiType
    user_id: int


class Submessage(Struct):
    sender_id: int
    msg_type: Literal["widget"]
    content: str


class Recipient(Struct):
    id: int
    email: str
    full_name: str


class Message(Struct):
    id: int
    type: Literal["stream", "private"]
    client: str
    content: str
    content_type: Literal["text/html"]
    is_me_message: bool
    reactions: list[Reaction]
    sender_id: int
    sender_email: str
    sender_full_name: str
    sender_realm_str: str
    submessages: list[Submessage]
    timestamp: int
    subject: str
    display_recipient: str | list[Recipient]
    flags: list[str] = field(default_factory=list)  # in an event they are beside the message
    stream_id: int | None = None
    avatar_url: str | None = None
    last_edit_timestamp: int | None = None


class Fetched(Struct):
    """The answer to GET /messages."""

    anchor: int
    found_newest: bool
    found_oldest: bool
    found_anchor: bool
    history_limited: bool
    messages: list[Message]


class Typist(Struct):
    user_id: int


class Place(Struct):
    stream_id: int


class OneMessage(Struct):
    message: Message
    flags: list[str]
    local_message_id: str | None = None


class MessageUpdated(Struct):
    user_id: int | None
    rendering_only: bool
    message_id: int
    message_ids: list[int]
    flags: list[str]
    edit_timestamp: int
    stream_id: int | None = None
    new_stream_id: int | None = None
    propagate_mode: Literal["change_one", "change_later", "change_all"] | None = None
    orig_subject: str | None = None
    subject: str | None = None
    orig_content: str | None = None
    rendered_content: str | None = None
    content: str | None = None
    is_me_message: bool | None = None


class MessagesDeleted(Struct):
    message_ids: list[int]
    message_type: Literal["stream", "private"]
    stream_id: int | None = None
    topic: str | None = None


class FlagDetails(Struct):
    type: Literal["stream", "private"]
    mentioned: bool = False
    user_ids: list[int] | None = None
    stream_id: int | None = None
    topic: str | None = None


class FlagsChanged(Struct):
    flag: str
    messages: list[int]
    all: bool
    message_details: dict[int, FlagDetails] | None = None


class ReactionChanged(Reaction):
    message_id: int


class SubmessageSent(Submessage):
    message_id: int
    submessage_id: int


class Typing(Struct):
    message_type: Literal["direct", "stream"]
    sender: Typist
    recipients: list[Typist] | None = None
    stream_id: int | None = None
    topic: str | None = None


class SettingChanged(Struct):
    property: str
    value: Any


class StatusChanged(Status, kw_only=True):
    user_id: int


class PresenceChanged(Struct):
    user_id: int
    server_timestamp: float
    presence: dict[str, Any]


class ChannelsCreated(Struct):
    streams: list[Channel]


class ChannelsDeleted(Struct):
    streams: list[Place]


class ChannelChanged(Struct):
    stream_id: int
    name: str
    property: str
    value: Any
    rendered_description: str | None = None
    history_public_to_subscribers: bool | None = None
    is_web_public: bool | None = None


class Subscribed(Struct):
    subscriptions: list[Subscription]


class Unsubscribed(Struct):
    subscriptions: list[Place]


class SubscriptionChanged(Struct):
    stream_id: int
    property: str
    value: bool | int | str


class Peers(Struct):
    stream_ids: list[int]
    user_ids: list[int]


class PersonAdded(Struct):
    person: User


class PersonChange(Struct):
    user_id: int


class PersonChanged(Struct):
    person: PersonChange


class GroupAdded(Struct):
    group: Group


class GroupChange(Struct):
    name: str | None = None
    description: str | None = None
    deactivated: bool | None = None


class GroupChanged(Struct):
    group_id: int
    data: GroupChange


class MembersChanged(Struct):
    group_id: int
    user_ids: list[int]


class EmojiAdded(Struct):
    emoji: Emoji


class EmojiChanged(Struct):
    emoji_id: str
    data: dict[str, Any]


class SnippetTold(Struct):
    saved_snippet: Snippet


class AlertWords(Struct):
    alert_words: list[str]


class MutedUsers(Struct):
    muted_users: list[Mute]


class ProfileFields(Struct):
    fields: list[ProfileField]


EVENTS: dict[str, Any] = {
    "alert_words": AlertWords,
    "custom_profile_fields": ProfileFields,
    "delete_message": MessagesDeleted,
    "message": OneMessage,
    "muted_users": MutedUsers,
    "presence": PresenceChanged,
    "reaction add": ReactionChanged,
    "reaction remove": ReactionChanged,
    "realm_emoji add": EmojiAdded,
    "realm_emoji update_one": EmojiChanged,
    "realm_user add": PersonAdded,
    "realm_user update": PersonChanged,
    "saved_snippets add": SnippetTold,
    "stream create": ChannelsCreated,
    "stream delete": ChannelsDeleted,
    "stream update": ChannelChanged,
    "submessage": SubmessageSent,
    "subscription add": Subscribed,
    "subscription peer_add": Peers,
    "subscription peer_remove": Peers,
    "subscription remove": Unsubscribed,
    "subscription update": SubscriptionChanged,
    "typing start": Typing,
    "typing stop": Typing,
    "update_message": MessageUpdated,
    "update_message_flags add": FlagsChanged,
    "update_message_flags remove": FlagsChanged,
    "user_group add": GroupAdded,
    "user_group add_members": MembersChanged,
    "user_group remove_members": MembersChanged,
    "user_group update": GroupChanged,
    "user_settings update": SettingChanged,
    "user_status": StatusChanged,
    "user_topic": UserTopic,
}


def reads(answer: dict[str, Any], form: type[Any]) -> None:
    """Parse an answer as the app does; raises if the app would reject it."""
    msgspec.convert(answer, form, str_keys=True)


def name_of(event: dict[str, Any]) -> str:
    """The key in `EVENTS`: the type and, if there are several, the op."""
    return f"{event['type']} {event['op']}" if "op" in event else str(event["type"])
