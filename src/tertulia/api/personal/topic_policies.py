"""Topic policies: muting, unmuting and following topics."""

from typing import Annotated, Literal

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.errors.parameters import MissingParameter, UnsupportedCombination
from tertulia.http.parameter_rules import Example, MaxLength, NoNul, OneOf, Stripped
from tertulia.wire import Doc
from tertulia.wire_fields import ChannelId

Topic = Annotated[str, Stripped, MaxLength(domain.limits.MAX_TOPIC_LENGTH), NoNul]
TopicName = Annotated[Topic, Doc("The topic.", example="lunch")]


async def set_policy(
    call: Call,
    *,
    stream_id: ChannelId,
    topic: TopicName,
    visibility_policy: Annotated[
        int,
        OneOf([int(each) for each in TopicPolicy]),
        Doc("0 default, 1 muted, 2 unmuted, 3 followed.", example=3),
    ],
) -> None:
    """Mute, unmute, follow or reset a topic."""
    policy = TopicPolicy(visibility_policy)
    await call.db.write(
        actions.personal.topic_policies.set_policy, call.user, stream_id, _named(topic), policy
    )


async def set_muted(
    call: Call,
    *,
    stream_id: Annotated[ChannelId | None, Example(7)] = None,
    stream: Annotated[
        str, MaxLength(domain.limits.MAX_CHANNEL_NAME_LENGTH), Doc("The channel, by name or id.")
    ]
    | None = None,
    topic: TopicName,
    op: Annotated[
        Literal["add", "remove"],
        Doc("The operation: `add` or `remove`, `start` or `stop`.", example="add"),
    ],
) -> None:
    """Mute or unmute a topic, for older clients."""
    if stream_id is not None and stream is not None:
        raise UnsupportedCombination(parameters="stream_id, stream")
    where = stream_id if stream_id is not None else stream
    if where is None:
        raise MissingParameter(name="stream_id")
    action = (
        actions.personal.topic_policies.mute
        if op == "add"
        else actions.personal.topic_policies.unmute
    )
    await call.db.write(action, call.user, where, _named(topic))


def _named(topic: str) -> str:
    return "" if topic == EMPTY_TOPIC_NAME else topic
