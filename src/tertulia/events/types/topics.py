"""Topic policies as clients see them, and the event that tells of a change."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tertulia.domain.topics import shown
from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire


class UserTopicObject(msgspec.Struct):
    stream_id: int
    topic_name: str
    last_updated: int
    visibility_policy: int


class TopicPolicyChanged(Event, frozen=True):
    """A user's policy for a topic is another one now; only they are told."""

    kind: ClassVar[str] = "topic_policy"
    types: ClassVar[tuple[str, ...]] = ("user_topic",)

    channel_id: int
    topic: str
    policy: int
    updated_at: float

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield {
            "type": "user_topic",
            "stream_id": self.channel_id,
            "topic_name": shown(self.topic, to.options.capabilities.empty_topic_name),
            "last_updated": int(self.updated_at),
            "visibility_policy": self.policy,
        }
