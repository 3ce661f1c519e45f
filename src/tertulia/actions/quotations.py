"""Quotations: finding what is quoted, as far as the one who asks for it may see it."""

from tertulia.actions import acquaintance
from tertulia.actions.messages.fetch import visible_to
from tertulia.domain.quotations import Quotation
from tertulia.domain.users import User
from tertulia.storage import channels, users
from tertulia.storage.tx import Tx


def find(tx: Tx, reader: User, message_id: int) -> Quotation:
    """Raises if the reader may not see the message."""
    message = visible_to(tx, reader, message_id)
    sender = acquaintance.find(tx, reader, message.sender_id)
    channel = None if message.channel_id is None else channels.find(tx, message.channel_id)
    others = [user_id for user_id in message.member_ids if user_id != message.sender_id]
    return Quotation(message, sender, channel, users.find_many(tx, others))
