"""Typing notices: whether they are allowed, and who receives them."""

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import EditNotAllowed
from tertulia.errors.personal import TypingDisabledForDirect


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
        tx, user, actions.channels.visible_to(tx, user, channel_id)
    )
    return _is_small(tx, channel_id)


def in_message(tx: Tx, user: User, message_id: int) -> tuple[Message, bool]:
    """The user's own message that they edit, and whether to send typing notices."""
    message = actions.messages.visible_to(tx, user, message_id)
    if message.sender_id != user.id:
        raise EditNotAllowed()
    if message.channel_id is None:
        if not user.prefers("send_private_typing_notifications"):
            raise TypingDisabledForDirect()
        return message, True
    return message, in_channel(tx, user, message.channel_id)


def _is_small(tx: Tx, channel_id: int) -> bool:
    return (
        storage.channels.subscriptions.count_active(tx, channel_id)
        <= domain.limits.MAX_TYPING_SUBSCRIBERS
    )
