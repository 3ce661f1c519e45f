"""Typing notifications. They are not stored."""

from typing import Annotated, Literal

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.errors.messages import TopicMissing
from tertulia.errors.parameters import MissingParameter
from tertulia.events.ephemeral import TypingDirect, TypingEdit, TypingInChannel
from tertulia.http.parameter_rules import Id, MaxItems, Name, OnlyWith
from tertulia.wire import Doc
from tertulia.wire_fields import MessageId, TopicName

Op = Literal["start", "stop"]
OpValue = Annotated[Op, Doc("The operation: `add` or `remove`, `start` or `stop`.", example="add")]
DIRECT = OnlyWith("type", "direct", None)
IN_CHANNEL = OnlyWith("type", "stream", "channel")


async def send(
    call: Call,
    *,
    op: OpValue,
    kind: Annotated[
        Literal["direct", "stream", "channel"],
        Name("type"),
        Doc("The type of recipient: `channel` (`stream`) or `direct` (`private`)."),
    ] = "direct",
    to: Annotated[
        list[Id],
        MaxItems(domain.limits.MAX_RECIPIENTS_PER_MESSAGE),
        DIRECT,
        Doc("The recipient: a channel by name or id, or a list of user ids or addresses."),
    ]
    | None = None,
    stream_id: Annotated[Id, IN_CHANNEL, Doc("The id of the channel.")] | None = None,
    topic: TopicName | None = None,
) -> None:
    """Send a typing notification."""
    if kind == "direct":
        await _notify_people(call, op, to)
    else:
        await _notify_channel(call, op, stream_id, topic)


async def send_for_edit(call: Call, message_id: MessageId, *, op: OpValue) -> None:
    """Send a typing notification for editing a message."""
    message, is_announced = await call.db.read(
        actions.messages.typing.in_message, call.user, message_id
    )
    if is_announced:
        event = TypingEdit(
            op,
            call.user.id,
            message.id,
            channel_id=message.channel_id,
            topic=message.topic,
            user_ids=list(message.member_ids),
        )
        call.delivery.publish_ephemeral(call.user.realm_id, event)


async def _notify_people(call: Call, op: Op, to: list[int] | None) -> None:
    if to is None:
        raise MissingParameter(name="to")
    if not to:
        raise BadRequest("Empty 'to' list")
    user_ids = await call.db.read(actions.messages.typing.to_people, call.user, to)
    call.delivery.publish_ephemeral(call.user.realm_id, TypingDirect(op, call.user.id, user_ids))


async def _notify_channel(call: Call, op: Op, channel_id: int | None, topic: str | None) -> None:
    if channel_id is None:
        raise MissingParameter(name="stream_id")
    if topic is None:
        raise TopicMissing()
    topic = domain.channels.topics.for_sending(topic)
    if await call.db.read(actions.messages.typing.in_channel, call.user, channel_id):
        event = TypingInChannel(op, call.user.id, channel_id, topic)
        call.delivery.publish_ephemeral(call.user.realm_id, event)
