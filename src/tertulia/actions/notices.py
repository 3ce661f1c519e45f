"""Notices: messages of Notification Bot, past the rules that bind people."""

from tertulia.actions.organizations import NOTIFICATION_BOT
from tertulia.domain.messages import Draft
from tertulia.domain.notices import Words
from tertulia.domain.users import User
from tertulia.events.audience import Users
from tertulia.events.log import announce
from tertulia.events.types.messages import MessageSent
from tertulia.storage import messages, users
from tertulia.storage.tx import Tx

CLIENT = "Internal"
RENDER_VERSION = 0


def tell(tx: Tx, user_id: int, words: Words) -> None:
    """Say something to one person."""
    bot = _bot(tx)
    members = sorted([bot.id, user_id])
    conversation_id = messages.get_or_start_conversation(tx, members)
    message_id = messages.insert_in_conversation(tx, bot.id, conversation_id, _draft(words))
    event = MessageSent(message_id=message_id, sender_id=bot.id, read_by_sender=True)
    announce(tx, event, to=Users(members))


def _bot(tx: Tx) -> User:
    bot = users.find_by_email(tx, NOTIFICATION_BOT)
    assert bot is not None
    return bot


def _draft(words: Words) -> Draft:
    return Draft(
        content=words.source,
        rendered=words.html,
        render_version=RENDER_VERSION,
        client=CLIENT,
        read_by_sender=True,
    )
