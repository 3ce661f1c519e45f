"""Message access: which messages a user may see, and who has a message.

In a channel with shared history users see all messages; with protected history, those sent while
they were subscribed. A message that a user may not see does not exist for them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tertulia import events, storage
from tertulia.actions.channels import lookups
from tertulia.actions.people import visible_users
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message
from tertulia.domain.messages.quotations import Quotation
from tertulia.domain.people.user import User
from tertulia.errors.messages import InvalidMessage
from tertulia.errors.people import ReadOnlyGrant
from tertulia.events.audience import Audience, MessageHolders, NoClients, Users
from tertulia.events.types.messages.edits import QueuesClosed


def visible_to(tx: Tx, user: User, message_id: int) -> Message:
    """The only lookup of a message. Raises InvalidMessage if the user may not see it."""
    message = storage.messages.table.find(tx, message_id)
    if not can_see(tx, user, message) or message is None:
        raise InvalidMessage()
    return message


def can_see(tx: Tx, user: User, message: Message | None) -> bool:
    """Whether the message exists and the user may see it.

    A missing message, one for others and one in a hidden channel take the same time.
    """
    if message is None or (message.channel_id is None and not _is_in_conversation(user, message)):
        lookups.spend_lookup_time(tx, user)
        return False
    return bool(visible(tx, user, [message]))


def visible(tx: Tx, user: User, some: Iterable[Message]) -> list[Message]:
    """Those of the messages that the user may see."""
    some = list(some)
    ids = sorted({message.channel_id for message in some if message.channel_id is not None})
    readable = {
        channel.id: channel
        for channel in storage.channels.table.find_many(tx, ids)
        if lookups.may_read(tx, user, channel)
    }
    is_protected = any(not channel.history_public for channel in readable.values())
    spans = storage.channels.subscriptions.spans_by_channel(tx, user.id) if is_protected else {}

    def may_see(message: Message) -> bool:
        if message.channel_id is None:
            return _is_in_conversation(user, message)
        channel = readable.get(message.channel_id)
        if channel is None:
            return False
        return channel.history_public or any(
            span.covers(message) for span in spans.get(message.channel_id, ())
        )

    return [message for message in some if may_see(message)]


def received_ids(tx: Tx, user: User, channel: Channel, message_ids: list[int]) -> list[int]:
    """Those of thousands of messages of a channel with a protected history that a reader of the
    channel may see, oldest first."""
    spans = storage.channels.subscriptions.spans_by_channel(tx, user.id).get(channel.id, ())
    arrived = storage.channels.subscriptions.arrivals(tx, message_ids)
    return [
        message_id
        for message_id in message_ids
        if any(span.includes(message_id, arrived.get(message_id)) for span in spans)
    ]


def _is_in_conversation(user: User, message: Message) -> bool:
    if user.grant is not None and not user.grant.direct_messages:
        return False
    return user.id in message.member_ids


def changeable(tx: Tx, user: User, message_id: int) -> tuple[Message, Channel | None]:
    """A message that the user may see, with its channel, which must not be archived."""
    message = visible_to(tx, user, message_id)
    if user.grant is not None and not user.grant.may_write(message.channel_id):
        raise ReadOnlyGrant()
    channel = (
        None if message.channel_id is None else storage.channels.table.find(tx, message.channel_id)
    )
    if channel is not None and channel.archived:
        raise InvalidMessage()
    return message, channel


def quotation(tx: Tx, reader: User, message_id: int) -> Quotation:
    """A message to quote to a reader who may see it, with what they may know of it."""
    message = visible_to(tx, reader, message_id)
    sender = visible_users.find(tx, reader, message.sender_id)
    channel = (
        None if message.channel_id is None else storage.channels.table.find(tx, message.channel_id)
    )
    others = [user_id for user_id in message.member_ids if user_id != message.sender_id]
    return Quotation(message, sender, channel, storage.people.users.find_many(tx, others))


def holders(tx: Tx, message: Message, channel: Channel | None) -> Audience:
    """The audience of users who have a message."""
    if channel is None:
        return Users(list(message.member_ids))
    parts = holders_in(tx, channel, [message.id])
    return parts[0][1] if parts else NoClients()


def holders_in(
    tx: Tx, channel: Channel, message_ids: Sequence[int]
) -> list[tuple[list[int], Audience]]:
    """Messages of a channel, with the audiences of users who have them.

    With a protected history the subscribers are listed: each may know only of messages they
    received.
    """
    if channel.history_public:
        also = holders_by_history(tx, channel, message_ids)
        return [(list(message_ids), MessageHolders(channel.id, also))]
    return [(ids, Users(user_ids)) for ids, user_ids in received_by(tx, channel.id, message_ids)]


def received_by(
    tx: Tx, channel_id: int, message_ids: Sequence[int], also: Sequence[int] = ()
) -> list[tuple[list[int], list[int]]]:
    """Which of the messages users received in a channel, for an event that follows.

    Hundreds of users may have received different parts of thousands of messages. Those whose parts
    would take too long to list lose their queues: their clients load everything again.
    """
    parts, left_out = storage.channels.subscriptions.received_by(tx, channel_id, message_ids, also)
    if left_out:
        storage.queues.delete_of_users(tx, left_out)
        events.log.announce(tx, QueuesClosed(left_out), to=NoClients())
    return parts


def holders_by_history(tx: Tx, channel: Channel, message_ids: Sequence[int]) -> list[int]:
    """Users who have one of the messages without a current subscription to its channel.

    They have unsubscribed since, or the message was sent to another channel, or they flagged it.
    """
    found = storage.messages.flags.users_with_flag(tx, "historical", message_ids)
    for origin_id, ids in storage.messages.table.origins(tx, channel.id, message_ids).items():
        only_ended = origin_id == channel.id
        spans = storage.channels.subscriptions.spans_since(
            tx, origin_id, ids[0], only_ended=only_ended
        )
        for (after, last), user_ids in spans.items():
            if _holds_one(after, last, ids):
                found.update(user_ids)
    return sorted(found)


def _holds_one(after: int, last: int | None, ids: list[int]) -> bool:
    """Whether one of the ids, which are sorted, is in this range."""
    index = bisect_right(ids, after)
    return index < len(ids) and (last is None or ids[index] <= last)
