"""Topic policies in API format, and their event."""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event
from tertulia.storage.personal.topic_policies import UserTopic
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import ChannelId, TopicName

MutedTopic = tuple[str, str, int]


def muted_topics(
    org: Organization, user_id: int, policies: Iterable[UserTopic]
) -> list[MutedTopic]:
    """Compat: before feature level 134 mutes were triples with the channel's name.

    Channels that the user may no longer see are left out.
    """
    return [
        (org.channels[each.channel_id].name, each.topic, int(each.updated_at))
        for each in policies
        if each.policy == TopicPolicy.MUTED and org.may_see(user_id, each.channel_id)
    ]


class MutedTopicsUpdate(WireEvent, tag="muted_topics"):
    muted_topics: Annotated[
        list[MutedTopic], Doc("The channel, the topic and the time of each muted topic.")
    ]


class TopicPolicyUpdate(WireEvent, tag="user_topic"):
    stream_id: ChannelId
    topic_name: TopicName
    last_updated: Annotated[int, Doc("When the policy changed.")]
    visibility_policy: Annotated[int, Doc("0 default, 1 muted, 2 unmuted, 3 followed.")]


class TopicPolicyChanged(Event, frozen=True, kind="topic_policy"):
    """A user's policy for a topic changed. Only they receive the event.

    Compat: clients that do not list `user_topic` among their event types get the list of all mutes
    first. `mutes_of` is the user; the list is read on delivery.
    """

    wires = (MutedTopicsUpdate, TopicPolicyUpdate)

    channel_id: int
    topic: str
    policy: int
    updated_at: float
    mutes_of: int | None = None
    mutes: list[UserTopic] = []

    def completed(self, tx: Tx) -> "TopicPolicyChanged":
        if self.mutes_of is None:
            return self
        return msgspec.structs.replace(
            self, mutes=storage.personal.topic_policies.of_user(tx, self.mutes_of)
        )

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        named = to.options.event_types
        if self.mutes_of is not None and (named is None or "user_topic" not in named):
            yield MutedTopicsUpdate(muted_topics(org, self.mutes_of, self.mutes))
        shown = domain.channels.topics.shown(self.topic, to.options.capabilities.empty_topic_name)
        yield TopicPolicyUpdate(self.channel_id, shown, int(self.updated_at), self.policy)
