"""Streamed answers: a bot starts one, writes pieces, and finishes it as an ordinary message.

The core delivers the pieces (`events/open_answers.py`).
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, api, domain, events, storage
from tertulia.actions.messages.idempotency import SendKey, Sent
from tertulia.actions.messages.send import ChannelDestination, PeopleDestination
from tertulia.api.call import Call
from tertulia.api.messages.send import PlaceKind, PlaceTo, PlaceTopic, SentMessage
from tertulia.database.tx import Tx
from tertulia.domain.messages.answers import MAX_MEMBERS, MAX_SECONDS, StreamedAnswer
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.http import RateLimited
from tertulia.errors.messages import AnswerNotFound
from tertulia.errors.parameters import TooMany
from tertulia.events.types.messages.message import LocalEcho
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import AtLeast, Example, MaxLength, NoNul
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import (
    AllowEmptyTopicName,
    AskedBy,
    ChannelId,
    DirectMembers,
    MarkdownText,
    ReadBySender,
    SenderId,
    StatusLine,
    TopicName,
)

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


def record_stop(tx: Tx, answer: StreamedAnswer) -> None:
    """Record that the answer was stopped, so that the user who asked may delete its message."""
    check_open(tx, answer)
    if answer.asked_by is not None:
        storage.messages.stopped_answers.insert(tx, answer, answer.asked_by)


def send(
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
        raise TooMany("recipients for an answer", MAX_MEMBERS)
    return None, "", sorted(members)


def _check_asker(
    tx: Tx, bot: User, asked_by: int, channel_id: int | None, member_ids: list[int]
) -> None:
    """The person who may stop the answer must be able to see it."""
    asking_user = actions.people.visible_users.find(tx, bot, asked_by)
    is_known = asking_user is not None and asking_user.is_active and not asking_user.is_bot
    if is_known and channel_id is not None:
        channel = actions.channels.lookups.visible_to(tx, bot, channel_id)
        is_known = asking_user is not None and actions.channels.lookups.may_read(
            tx, asking_user, channel
        )
    elif is_known:
        is_known = asked_by in member_ids
    if not is_known:
        raise BadRequest(f"Invalid user ID {asked_by}", problem="invalid-user-id")


# --- endpoints ---


AnswerToken = Annotated[
    str,
    MaxLength(domain.messages.answers.MAX_TOKEN_LENGTH),
    Doc("The token of the answer.", example="WzEsOSwxLDcsMF0.c0ffee"),
]
Status = Annotated[
    str,
    MaxLength(domain.messages.answers.STATUS_LENGTH),
    NoNul,
    Doc("What the bot is doing, in one line."),
]
Content = Annotated[
    str, MaxLength(domain.limits.MAX_MESSAGE_LENGTH), NoNul, Doc("The text, in Markdown.")
]


class StartedAnswer(Reply):
    answer_token: Annotated[str, Doc("The token of the answer, for further calls.")]
    expires: Annotated[int, Doc("Until when pieces are accepted, in UNIX seconds.")]


class WrittenAnswer(Reply):
    stopped: Annotated[
        bool, Doc("Whether the person who asked has stopped the answer; then nothing was written.")
    ]


class OpenAnswerObject(msgspec.Struct):
    answer_token: Annotated[str, Doc("The token of the answer.")]
    sender_id: SenderId
    asked_by: Annotated[
        int | None, Doc("The id of the user who asked, and who may stop it; null if unknown.")
    ]
    started: Annotated[int, Doc("When it started, in UNIX seconds.")]
    message_type: Annotated[
        Literal["direct", "stream"], Doc("Whether it is in a direct conversation or in a channel.")
    ]
    content: Annotated[str, Doc("The text so far, in Markdown.")]
    status_line: StatusLine
    stopped: Annotated[bool, Doc("Whether the person who asked has stopped it.")]
    user_ids: DirectMembers | UnsetType = UNSET
    stream_id: ChannelId | UnsetType = UNSET
    topic: TopicName | UnsetType = UNSET


class OpenAnswerList(Reply):
    answers: Annotated[list[OpenAnswerObject], Doc("The answers that grow at this moment.")]


async def start(
    call: Call,
    *,
    kind: PlaceKind,
    to: PlaceTo,
    topic: PlaceTopic | None = None,
    asked_by: AskedBy | None = None,
    status_line: Status = "",
) -> StartedAnswer:
    """Start an answer that grows while people watch. Nothing is stored until it is finished."""
    domain.names.check(status_line, "status_line")
    where = api.messages.send.destination_of(call, kind, to, topic)
    answer = await call.db.read(begin, call.user, where, asked_by)
    org = call.org
    if not org.answers.has_room(answer.person, call.now):
        raise RateLimited(retry_after=1)
    answer_token = answer.token(call.vault)
    events.delivery.answer_updates.start(call.delivery, org, answer_token, answer)
    if status_line:
        _publish(call, answer_token, answer, 0, "", status_line)
    return StartedAnswer(answer_token, int(answer.started_at) + MAX_SECONDS)


async def write(
    call: Call,
    answer_token: AnswerToken,
    *,
    content: Annotated[Content, Example("Soup is")] = "",
    position: Annotated[
        int,
        AtLeast(0),
        Doc("The position of the piece in the text, in characters; by default the end."),
    ]
    | None = None,
    status_line: Annotated[Status | None, Example("reading 3 files")] = None,
) -> WrittenAnswer:
    """Add a piece to an open answer, or change its status line."""
    domain.names.check(status_line or "", "status_line")
    answer = _own(call, answer_token)
    if answer.is_expired(call.now):
        raise AnswerNotFound()
    await call.db.read(check, call.user, answer)
    _check_not_ended(call, answer_token)
    known = call.org.answers.find(answer_token)
    if known is None and not call.org.answers.has_room(answer.person, call.now):
        raise RateLimited(retry_after=1)  # it was started elsewhere, or silent for a minute
    begin = position if position is not None else 0 if known is None else len(known.text)
    if begin + len(content) > domain.limits.MAX_MESSAGE_LENGTH:
        raise BadRequest(
            "Message is too long (limit: {limit} characters)",
            problem="text-too-long",
            limit=domain.limits.MAX_MESSAGE_LENGTH,
        )
    return WrittenAnswer(_publish(call, answer_token, answer, begin, content, status_line))


async def finish(
    call: Call,
    answer_token: AnswerToken,
    *,
    content: MarkdownText,
    read_by_sender: ReadBySender | None = None,
) -> SentMessage:
    """Send the whole answer as a message. A repeated call sends nothing and gets the same reply."""
    answer = _own(call, answer_token)
    to = destination(answer)
    sent = await api.messages.send.send_to(
        call,
        to,
        content,
        key=answer.send_key,
        read_by_sender=read_by_sender,
        action=send,
    )
    events.delivery.answer_updates.end(call.delivery, call.org, answer_token, answer, sent.id)
    return sent


async def abandon(call: Call, answer_token: AnswerToken) -> None:
    """Give up an answer: it disappears."""
    events.delivery.answer_updates.end(
        call.delivery, call.org, answer_token, _own(call, answer_token), None
    )


async def stop(call: Call, answer_token: AnswerToken) -> None:
    """Ask the bot to stop: for the person who asked, and for the owner of the bot."""
    answer = _known(call, answer_token)
    bot = call.org.users.get(answer.bot_id)
    owner_id = None if bot is None else bot.bot_owner_id
    if call.user.id not in (answer.asked_by, owner_id) or answer.is_expired(call.now):
        raise AnswerNotFound()
    await call.db.write(record_stop, answer)
    _check_not_ended(call, answer_token)
    opened = call.org.answers.touch(answer_token, answer, call.now)
    events.delivery.answer_updates.stop(call.delivery, call.org, opened)


async def list_open(
    call: Call, *, allow_empty_topic_name: AllowEmptyTopicName = False
) -> OpenAnswerList:
    """List the answers that grow at this moment where the caller reads."""
    return OpenAnswerList(
        answers=[
            OpenAnswerObject(
                answer_token=each.id,
                content=each.text,
                status_line=each.status,
                stopped=each.is_stopped,
                **events.ephemeral.conversation_fields(
                    each.answer, allow_empty=allow_empty_topic_name
                ),
            )
            for each in call.org.answers.all(call.now)
            if _may_watch(call, each.answer)
        ]
    )


def _publish(
    call: Call,
    answer_token: str,
    answer: StreamedAnswer,
    position: int,
    content: str,
    status: str | None,
) -> bool:
    """Returns whether the answer was stopped; then nothing is written."""
    opened = call.org.answers.touch(answer_token, answer, call.now)
    if not opened.is_stopped:
        opened.status = opened.status if status is None else status
        events.delivery.answer_updates.write(call.delivery, call.org, opened, position, content)
    return opened.is_stopped


def _check_not_ended(call: Call, answer_token: str) -> None:
    """It may have ended while this call waited."""
    if call.org.answers.has_ended(answer_token):
        raise AnswerNotFound()


def _may_watch(call: Call, answer: StreamedAnswer) -> bool:
    if call.user.grant is not None:
        return False
    if answer.channel_id is None:
        return call.user.id in answer.member_ids
    return call.org.subscriptions.includes(call.user.id, answer.channel_id)


def _own(call: Call, answer_token: str) -> StreamedAnswer:
    answer = _known(call, answer_token)
    if answer.bot_id != call.user.id:
        raise AnswerNotFound()
    return answer


def _known(call: Call, answer_token: str) -> StreamedAnswer:
    answer = domain.messages.answers.from_token(call.vault, answer_token)
    if answer is None or answer.realm_id != call.org.realm.id:
        raise AnswerNotFound()
    return answer


FEATURE = Feature(shows_ids={"bots": ["POST /answers"]})
