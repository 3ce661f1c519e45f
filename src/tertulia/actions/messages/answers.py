"""Streamed answers: whether a bot may write one, and to whom it goes."""

from tertulia import actions, domain, storage
from tertulia.actions.messages.idempotency import SendKey, Sent
from tertulia.actions.messages.send import ChannelDestination, PeopleDestination
from tertulia.database.tx import Tx
from tertulia.domain.messages.answers import MAX_MEMBERS, MAX_SECONDS, StreamedAnswer
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import AnswerNotFound
from tertulia.events.types.messages.message import LocalEcho

_EMPTY = Draft("", "", 0, "", read_by_sender=False)


def begin(
    tx: Tx, bot: User, to: ChannelDestination | PeopleDestination, asked_by: int | None
) -> StreamedAnswer:
    """A new answer, if the bot may send a message there. Raises as a send does."""
    channel_id, topic, member_ids = _resolved(tx, bot, to)
    if asked_by is not None:
        _check_asker(tx, bot, asked_by, channel_id, member_ids)
    nonce = domain.messages.answers.new_nonce()
    return StreamedAnswer(
        tx.realm_id, bot.id, bot.person, asked_by, channel_id, topic, member_ids, tx.now, nonce
    )


def check(tx: Tx, bot: User, answer: StreamedAnswer) -> None:
    """Raises if the answer is finished, or if the bot may no longer write there."""
    check_open(tx, answer)
    _resolved(tx, bot, destination(answer))


def check_open(tx: Tx, answer: StreamedAnswer) -> None:
    """Raises if the answer is finished: a server may not remember it."""
    since = tx.now - MAX_SECONDS
    if storage.messages.send_keys.find(tx, answer.bot_id, answer.send_key, since) is not None:
        raise AnswerNotFound()


def stop(tx: Tx, answer: StreamedAnswer) -> None:
    """Record that the answer was stopped, so that the user who asked may delete its message."""
    check_open(tx, answer)
    if answer.asked_by is not None:
        storage.messages.stopped_answers.insert(tx, answer, answer.asked_by)


def finish(
    tx: Tx,
    bot: User,
    to: ChannelDestination | PeopleDestination,
    draft: Draft,
    key: SendKey | None = None,
    echo: LocalEcho | None = None,
) -> Sent:
    """Send the whole answer as a message. The key is that of the answer."""
    sent = actions.messages.send.send(tx, bot, to, draft, key, echo)
    if key is not None:
        storage.messages.stopped_answers.set_message(tx, bot.id, key.key, sent.message_id)
    return sent


def destination(answer: StreamedAnswer) -> ChannelDestination | PeopleDestination:
    if answer.channel_id is None:
        return PeopleDestination(answer.member_ids, "")
    return ChannelDestination(answer.channel_id, answer.topic)


def _resolved(
    tx: Tx, bot: User, to: ChannelDestination | PeopleDestination
) -> tuple[int | None, str, list[int]]:
    if isinstance(to, ChannelDestination):
        channel = actions.messages.send_checks.check_to_channel(
            tx, bot, to.where, to.topic, _EMPTY
        ).channel
        return channel.id, to.topic, []
    members = actions.messages.send_checks.check_to_people(
        tx, bot, to.recipients, _EMPTY, to.email_domain
    ).members
    if len(members) > MAX_MEMBERS:
        raise BadRequest(
            "Too many recipients for an answer (limit: {limit})",
            problem="too-many",
            limit=MAX_MEMBERS,
        )
    return None, "", sorted(members)


def _check_asker(
    tx: Tx, bot: User, asked_by: int, channel_id: int | None, member_ids: list[int]
) -> None:
    """The person who may stop the answer must be able to see it."""
    asking_user = actions.people.visible_users.find(tx, bot, asked_by)
    is_known = asking_user is not None and asking_user.is_active and not asking_user.is_bot
    if is_known and channel_id is not None:
        channel = actions.channels.visible_to(tx, bot, channel_id)
        is_known = asking_user is not None and actions.channels.may_read(tx, asking_user, channel)
    elif is_known:
        is_known = asked_by in member_ids
    if not is_known:
        raise BadRequest(f"Invalid user ID {asked_by}", problem="invalid-user-id")
