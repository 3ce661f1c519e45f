"""Widgets: a message may begin one, and whoever sees the message may take part."""

from tertulia.actions import reading, rights, user_topics
from tertulia.actions.messages import access
from tertulia.domain.messages import Draft
from tertulia.domain.users import User
from tertulia.domain.widgets import PER_MESSAGE, WIDGET, begun_by, check_addition
from tertulia.errors import BadRequest
from tertulia.events.log import announce
from tertulia.events.types.submessages import SubmessageAdded
from tertulia.storage import submessages
from tertulia.storage.tx import Tx


def begin(tx: Tx, message_id: int, sender: User, draft: Draft) -> int | None:
    """The widget of a message that was just sent, if it begins one."""
    widget = begun_by(draft.content)
    if widget is None:
        return None
    return submessages.insert(tx, message_id, sender.id, WIDGET, widget)


def take_part(tx: Tx, user: User, message_id: int, msg_type: str, content: str) -> None:
    user = rights.acting(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    widget = submessages.widget_of(tx, message.id)
    if widget is None or msg_type != WIDGET:
        raise BadRequest("You cannot attach a submessage to this message.")
    check_addition(widget.content, content, by_author=user.id == message.sender_id)
    if submessages.count(tx, message.id) >= PER_MESSAGE:
        raise BadRequest(f"Too many submessages (limit: {PER_MESSAGE})")

    part_id = submessages.insert(tx, message.id, user.id, msg_type, content)
    reading.keep(tx, user, [message])
    announce(tx, SubmessageAdded(part_id), to=access.holders(tx, message, channel))
    if channel is not None:
        user_topics.participated(tx, user, channel, message.topic)
