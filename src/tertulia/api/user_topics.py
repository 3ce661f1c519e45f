"""Topic policies: muting, unmuting and following topics."""

from typing import Annotated, Literal

from tertulia.actions import user_topics
from tertulia.api.call import Call
from tertulia.domain import limits
from tertulia.domain.topics import EMPTY_TOPIC_NAME
from tertulia.domain.visibility import Visibility
from tertulia.errors.parameters import MissingParameter, UnsupportedCombination
from tertulia.http.replies import Reply, ok
from tertulia.http.rules import Id, MaxLength, NoNul, OneOf, Stripped

Topic = Annotated[str, Stripped, MaxLength(limits.TOPIC_LENGTH), NoNul]


async def set_policy(
    call: Call,
    *,
    stream_id: Id,
    topic: Topic,
    visibility_policy: Annotated[int, OneOf([int(each) for each in Visibility])],
) -> Reply:
    """Mute, unmute or follow a topic, or take that back."""
    policy = Visibility(visibility_policy)
    await call.db.write(user_topics.set_policy, call.user, stream_id, _named(topic), policy)
    return ok()


async def set_muted(
    call: Call,
    *,
    stream_id: Id | None = None,
    stream: Annotated[str, MaxLength(limits.CHANNEL_NAME_LENGTH)] | None = None,
    topic: Topic,
    op: Literal["add", "remove"],
) -> Reply:
    """Mute a topic or take that back, as older clients do."""
    if stream_id is not None and stream is not None:
        raise UnsupportedCombination(parameters="stream_id, stream")
    where = stream_id if stream_id is not None else stream
    if where is None:
        raise MissingParameter(name="stream_id")
    action = user_topics.mute if op == "add" else user_topics.unmute
    await call.db.write(action, call.user, where, _named(topic))
    return ok()


def _named(topic: str) -> str:
    return "" if topic == EMPTY_TOPIC_NAME else topic
