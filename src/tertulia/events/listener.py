"""Listeners: the user, options and client capabilities of an event queue."""

from typing import Literal

import msgspec

from tertulia.domain.messages.narrow import QueueNarrow


class Capabilities(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a client says it supports. Older clients say nothing and get the older forms."""

    notification_settings_null: bool
    bulk_message_deletion: bool = False
    user_avatar_url_field_optional: bool = False
    stream_typing_notifications: bool = False
    linkifier_url_template: bool = False
    user_list_incomplete: bool = False
    include_deactivated_groups: bool = False
    archived_channels: bool = False
    empty_topic_name: bool = False
    simplified_presence_events: bool = False
    individual_emoji_changes: bool = False
    user_settings_object: bool = False
    streamed_answers: bool = False
    calls: bool = False


class Options(msgspec.Struct, frozen=True, omit_defaults=True):
    """The options that a queue was registered with."""

    event_types: list[str] | None = None
    narrow: QueueNarrow = []
    all_public_streams: bool = False
    apply_markdown: bool = False
    client_gravatar: bool = True
    slim_presence: bool = False
    include_subscribers: Literal["true", "false", "partial"] = "false"
    capabilities: Capabilities = Capabilities(notification_settings_null=False)
    # Only messages in these channels; None stands for direct messages. Never stored.
    places: frozenset[int | None] | None = None

    @property
    def includes_public_channels(self) -> bool:
        """A narrow can include any public channel, so its queue receives all of them."""
        return self.all_public_streams or bool(self.narrow)


class Listener(msgspec.Struct, frozen=True):
    queue_id: str
    user_id: int
    options: Options

    def wants(self, event_type: str) -> bool:
        wanted = self.options.event_types
        return wanted is None or event_type in wanted or event_type == "heartbeat"


decode_options = msgspec.json.Decoder(Options).decode
