"""Buttons in messages of bots: `zform` choices that have an `id`. Zulip's clients show the choices.

A press is stored, and shown to all readers of the message as a submessage that only the server
writes. The first press closes the buttons for everybody, unless they are `for_each` person.
"""

import msgspec

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.domain.messages.widgets import Buttons, FormChoice, FormData, Press
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import InvalidMessage
from tertulia.errors.parameters import TooMany
from tertulia.features.apps import interactions
from tertulia.features.apps.interactions import OPEN, Interaction, OwnInteraction


def press(tx: Tx, user: User, message_id: int, choice_id: str) -> OwnInteraction:
    """Press a button. A repeated press changes nothing; after ten seconds without an answer it
    replaces the first one."""
    user = actions.groups.permissions.current_rights(tx, user)
    message, _ = actions.messages.access.changeable(tx, user, message_id)
    data = current(tx, message)
    choice = None if data is None else _find(data, choice_id)
    if data is None or choice is None:
        raise BadRequest("This message has no such button.", problem="no-such-button")
    bot = storage.people.users.find(tx, message.sender_id)
    if bot is None or not bot.is_active or not bot.is_bot:
        raise BadRequest("The bot is gone.", problem="bot-gone")
    presses = _standing(tx, message.id)
    own = next((each for each in presses if each.user_id == user.id), None)
    if own is not None and not (own.state in OPEN and tx.now >= own.answer_by):
        return interactions.for_user(tx, own)
    others = [each for each in presses if each.user_id != user.id]
    if others and data.for_each is not True:
        raise BadRequest(
            "Somebody else has pressed it already.", problem="button-pressed-by-another"
        )
    if choice.disabled is True:
        raise BadRequest("This button is off.", problem="button-off")
    _check_may_press(tx, user, data)
    if own is not None:
        Interaction.update(tx, own.id, state="ended")
        tx.delete("outbox", interaction_id=own.id)
        interactions.release(tx, own)
        interactions.announce_change(tx, own)
    created = interactions.create(
        tx,
        user,
        kind="button",
        bot_id=bot.id,
        message_id=message.id,
        choice=choice_id,
        channel_id=message.channel_id,
        topic=message.topic,
        user_ids=list(message.member_ids),
    )
    part = Press(choice=choice_id, interaction=created.id, at=int(tx.now))
    interactions.add_part(tx, message.id, user.id, part)
    actions.messages.read_state.add_to_history(tx, user, [message])
    return created


def replace(
    tx: Tx, bot: User, message_id: int, choices: list[FormChoice], heading: str | None
) -> None:
    """Give one's own message other buttons, or turn some off. Presses so far stay shown."""
    bot = actions.groups.permissions.current_rights(tx, bot)
    message, _ = actions.messages.access.changeable(tx, bot, message_id)
    data = current(tx, message)
    if message.sender_id != bot.id or data is None:
        raise InvalidMessage()
    new = msgspec.structs.replace(
        data, choices=choices, heading=data.heading if heading is None else heading
    )
    domain.messages.widgets.check_buttons(new)
    if storage.messages.submessages.count(tx, message.id) >= domain.messages.widgets.PER_MESSAGE:
        raise TooMany("changes of buttons", domain.messages.widgets.PER_MESSAGE)
    interactions.add_part(tx, message.id, bot.id, Buttons(new))


def current(tx: Tx, message: Message) -> FormData | None:
    """The buttons of a message as their bot has set them last."""
    parts = storage.messages.submessages.of_messages(tx, [message.id]).get(message.id, ())
    return domain.messages.widgets.buttons_of(parts, message.sender_id)


def _standing(tx: Tx, message_id: int) -> list[Interaction]:
    """The presses that were not taken back and have not ended without an answer."""
    states = [*OPEN, "answered"]
    return Interaction.where(tx, "id", message_id=message_id, kind="button", state=states)


def _find(data: FormData, choice_id: str) -> FormChoice | None:
    return next((each for each in data.choices if each.id == choice_id), None)


def _check_may_press(tx: Tx, user: User, data: FormData) -> None:
    if isinstance(data.may_press, msgspec.UnsetType):
        return
    if not actions.groups.permissions.has_permission(tx, user, data.may_press):
        raise BadRequest("You may not press this button.", problem="button-not-for-you")
