"""Typing notices: who may send them, and who receives them. They are not stored.

Their events are in `events/ephemeral.py`, with all that servers send each other.
"""

from typing import Annotated, Literal

from tertulia import actions, domain, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.messages import EditNotAllowed, TopicMissing
from tertulia.errors.parameters import MissingParameter
from tertulia.events.ephemeral import TypingDirect, TypingEdit, TypingInChannel
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import Example, Id, MaxItems, Name, OnlyWith
from tertulia.wire import Doc
from tertulia.wire_fields import MessageId, TopicName

MAX_SUBSCRIBERS = 100  # no typing notices in larger channels

Op = Literal["start", "stop"]
OpValue = Annotated[Op, Doc("The operation: `add` or `remove`, `start` or `stop`.", example="add")]
DIRECT = OnlyWith("type", "direct", None)
IN_CHANNEL = OnlyWith("type", "stream", "channel")


class TypingDisabledForDirect(ClientError):
    message = "User has disabled typing notifications for direct messages"


def to_people(tx: Tx, user: User, user_ids: list[int]) -> list[int]:
    """The participants, including the sender. Raises for an unknown user."""
    if not user.prefers("send_private_typing_notifications"):
        raise TypingDisabledForDirect()
    known = {each.id for each in actions.people.visible_users.find_many(tx, user, user_ids)}
    for user_id in user_ids:
        if user_id not in known:
            raise BadRequest(f"Invalid user ID {user_id}", problem="invalid-user-id")
    return list(dict.fromkeys([*user_ids, user.id]))


def in_channel(tx: Tx, user: User, channel_id: int) -> bool:
    """Whether the channel is small enough for typing notices. Raises if the user may not post."""
    if not user.prefers("send_stream_typing_notifications"):
        raise BadRequest("User has disabled typing notifications for channel messages")
    actions.messages.send_checks.check_may_post(
        tx, user, actions.channels.lookups.visible_to(tx, user, channel_id)
    )
    return _is_small(tx, channel_id)


def in_message(tx: Tx, user: User, message_id: int) -> tuple[Message, bool]:
    """The user's own message that they edit, and whether to send typing notices."""
    message = actions.messages.access.visible_to(tx, user, message_id)
    if message.sender_id != user.id:
        raise EditNotAllowed()
    if message.channel_id is None:
        if not user.prefers("send_private_typing_notifications"):
            raise TypingDisabledForDirect()
        return message, True
    return message, in_channel(tx, user, message.channel_id)


def _is_small(tx: Tx, channel_id: int) -> bool:
    return storage.channels.subscriptions.count_active(tx, channel_id) <= MAX_SUBSCRIBERS


# --- endpoints ---


async def send(
    call: Call,
    *,
    op: Annotated[OpValue, Example("start")],
    kind: Annotated[
        Literal["direct", "stream", "channel"],
        Name("type"),
        Doc("The type of recipient: `channel` (`stream`) or `direct` (`private`)."),
        Example("channel"),
    ] = "direct",
    to: Annotated[
        list[Id],
        MaxItems(domain.limits.MAX_RECIPIENTS_PER_MESSAGE),
        DIRECT,
        Doc("The recipient: a channel by name or id, or a list of user ids or addresses."),
    ]
    | None = None,
    stream_id: Annotated[Id, IN_CHANNEL, Doc("The id of the channel."), Example(7)] | None = None,
    topic: Annotated[TopicName | None, Example("lunch")] = None,
) -> None:
    """Send a typing notification."""
    if kind == "direct":
        await _notify_people(call, op, to)
    else:
        await _notify_channel(call, op, stream_id, topic)


async def send_for_edit(
    call: Call, message_id: MessageId, *, op: Annotated[OpValue, Example("start")]
) -> None:
    """Send a typing notification for editing a message."""
    message, is_announced = await call.db.read(in_message, call.user, message_id)
    if is_announced:
        event = TypingEdit(
            op,
            call.user.id,
            message.id,
            channel_id=message.channel_id,
            topic=message.topic,
            user_ids=list(message.member_ids),
        )
        call.delivery.ephemeral.publish(call.user.realm_id, event)


async def _notify_people(call: Call, op: Op, to: list[int] | None) -> None:
    if to is None:
        raise MissingParameter(name="to")
    if not to:
        raise BadRequest("Empty 'to' list")
    user_ids = await call.db.read(to_people, call.user, to)
    call.delivery.ephemeral.publish(call.user.realm_id, TypingDirect(op, call.user.id, user_ids))


async def _notify_channel(call: Call, op: Op, channel_id: int | None, topic: str | None) -> None:
    if channel_id is None:
        raise MissingParameter(name="stream_id")
    if topic is None:
        raise TopicMissing()
    topic = domain.channels.topics.for_sending(topic)
    if await call.db.read(in_channel, call.user, channel_id):
        event = TypingInChannel(op, call.user.id, channel_id, topic)
        call.delivery.ephemeral.publish(call.user.realm_id, event)


FEATURE = Feature(shows_ids={"members": ["POST /typing"]})
