"""Reactions: adding and removing an emoji."""

from tertulia import domain, events, storage
from tertulia.actions.groups import permissions
from tertulia.actions.messages import access, emoji, read_state
from tertulia.actions.personal import topic_policies
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message, Reaction
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import EmojiNotFound, ReactionAlreadyExists, ReactionNotFound
from tertulia.errors.parameters import TooMany
from tertulia.events.types.messages.reactions import ReactionChanged


def add(
    tx: Tx, user: User, message_id: int, name: str, code: str | None, type_: str | None
) -> None:
    user = permissions.current_rights(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    present = storage.messages.reactions.of_message(tx, message.id)
    reaction = _chosen(tx, user, present, name, code, type_)
    if any(_is_same(each, reaction) and each.user_id == user.id for each in present):
        raise ReactionAlreadyExists()
    if sum(each.user_id == user.id for each in present) >= domain.limits.MAX_REACTIONS_PER_MESSAGE:
        raise TooMany("reactions to one message", domain.limits.MAX_REACTIONS_PER_MESSAGE)

    storage.messages.reactions.insert(tx, message.id, reaction)
    read_state.add_to_history(tx, user, [message])
    _announce(tx, "add", message, channel, reaction)
    if channel is not None:
        topic_policies.participated(tx, user, channel, message.topic)


def remove(
    tx: Tx, user: User, message_id: int, name: str | None, code: str | None, type_: str | None
) -> None:
    """Remove one's own reaction. Its emoji may have been deleted."""
    if name is None and code is None:
        raise BadRequest(
            "At least one of the following arguments must be present: emoji_name, emoji_code",
            problem="bad-value",
        )
    user = permissions.current_rights(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    mine = [
        each
        for each in storage.messages.reactions.of_message(tx, message.id)
        if each.user_id == user.id
    ]
    if code is not None:
        reaction = _by_code(tx, mine, code, type_)
    else:
        assert name is not None
        reaction = _by_name(tx, mine, name, type_)
    storage.messages.reactions.delete(tx, message.id, reaction)
    _announce(tx, "remove", message, channel, reaction)


def _chosen(
    tx: Tx,
    user: User,
    present: tuple[Reaction, ...],
    name: str,
    code: str | None,
    type_: str | None,
) -> Reaction:
    """The reaction to add. If others have reacted with this emoji, their name for it is used
    unchecked."""
    if code is not None:
        wanted = Reaction(user.id, name, code, domain.emoji.checked_type(type_ or "unicode_emoji"))
        earlier = next((each for each in present if _is_same(each, wanted)), None)
        if earlier is not None:
            return Reaction(user.id, earlier.emoji_name, code, earlier.reaction_type)
    found = emoji.resolve(tx, emoji.name_from_text(name), code, type_)
    wanted = Reaction(user.id, found.name, found.code, found.type)
    earlier = next((each for each in present if _is_same(each, wanted)), wanted)
    return Reaction(user.id, earlier.emoji_name, found.code, found.type)


def _by_code(tx: Tx, mine: list[Reaction], code: str, type_: str | None) -> Reaction:
    for each in mine:
        if each.emoji_code == code and _is_type(each, type_):
            return each
    if not emoji.is_code(tx, code, type_):
        raise BadRequest("Invalid emoji code")
    raise ReactionNotFound()


def _by_name(tx: Tx, mine: list[Reaction], name: str, type_: str | None) -> Reaction:
    meant = emoji.find(tx, emoji.name_from_text(name))
    for each in mine:
        if meant is None or (each.emoji_code, each.reaction_type) != (meant.code, meant.type):
            continue
        if _is_type(each, type_):
            return each
    for each in mine:
        if each.emoji_name == name and _is_type(each, type_):
            return each
    if meant is None:
        raise EmojiNotFound(name=name)
    raise ReactionNotFound()


def _is_same(one: Reaction, other: Reaction) -> bool:
    return (one.emoji_code, one.reaction_type) == (other.emoji_code, other.reaction_type)


def _is_type(reaction: Reaction, type_: str | None) -> bool:
    return type_ is None or emoji.known_type(type_) == reaction.reaction_type


def _announce(
    tx: Tx, op: str, message: Message, channel: Channel | None, reaction: Reaction
) -> None:
    event = ReactionChanged(
        "add" if op == "add" else "remove",
        reaction.user_id,
        message.id,
        reaction.emoji_name,
        reaction.emoji_code,
        reaction.reaction_type,
    )
    events.log.announce(tx, event, to=access.holders(tx, message, channel))
