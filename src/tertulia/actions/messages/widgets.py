"""Widgets: started by a message; users who see the message may act in them."""

from tertulia import domain, events, storage
from tertulia.actions.groups import permissions
from tertulia.actions.messages import access, read_state
from tertulia.actions.personal import topic_policies
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.widgets import MAX_LENGTH, PER_MESSAGE, WIDGET
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import TooMany
from tertulia.events.types.messages.submessages import SubmessageAdded


def create(tx: Tx, message_id: int, sender: User, draft: Draft) -> int | None:
    """Store the widget of a message that was just sent, if it has one."""
    if draft.widget is None:
        return None
    return storage.messages.submessages.insert(tx, message_id, sender.id, WIDGET, draft.widget)


def submit(tx: Tx, user: User, message_id: int, msg_type: str, content: str) -> None:
    user = permissions.current_rights(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    widget = storage.messages.submessages.widget_of(tx, message.id)
    if widget is None or msg_type != WIDGET:
        raise BadRequest(
            "You cannot attach a submessage to this message.", problem="submessage-not-allowed"
        )
    domain.messages.widgets.check_addition(
        widget.content, content, by_author=user.id == message.sender_id
    )
    if storage.messages.submessages.count(tx, message.id) >= PER_MESSAGE:
        raise TooMany("submessages", PER_MESSAGE)
    if storage.messages.submessages.length(tx, message.id) + len(content) > MAX_LENGTH:
        raise BadRequest(
            f"The submessages are too long together (limit: {MAX_LENGTH} characters)",
            problem="submessages-too-long",
        )

    part_id = storage.messages.submessages.insert(tx, message.id, user.id, msg_type, content)
    read_state.add_to_history(tx, user, [message])
    events.log.announce(tx, SubmessageAdded(part_id), to=access.holders(tx, message, channel))
    if channel is not None:
        topic_policies.participated(tx, user, channel, message.topic)
