"""Messages: sending them and fetching them."""

import hashlib
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.actions import reading, searching
from tertulia.actions.composing import compose, rendering
from tertulia.actions.messages import fetch, narrowing, send
from tertulia.actions.messages.fetch import Shown, Window
from tertulia.actions.messages.narrowing import Asker
from tertulia.actions.messages.send import SendKey, Sent
from tertulia.api.call import Call
from tertulia.domain import limits, topics
from tertulia.domain.links import conversation_link, topic_link
from tertulia.domain.messages import Message
from tertulia.domain.narrow import Term, terms_from
from tertulia.errors import BadRequest, MissingParameter, UnsupportedCombination
from tertulia.events.types.messages import Echo, MessageObject, add_details, message_object
from tertulia.http.json_text import decode_json
from tertulia.http.replies import Reply
from tertulia.http.rules import Alias, Id, MaxItems, MaxLength, Name, NonNegative, Problem, as_id
from tertulia.storage import bots

Narrow = Annotated[list[Any], MaxItems(100)]

MOST_BATCHES = 10  # that a search waits for, if the index is far behind


class SentMessage(Reply):
    id: int
    message_url: str
    message_link: str
    automatic_new_visibility_policy: int | UnsetType = UNSET


class Messages(Reply, kw_only=True):
    messages: list[MessageObject]
    anchor: int | UnsetType = UNSET
    found_anchor: bool
    found_oldest: bool
    found_newest: bool
    history_limited: bool = False


class OneMessage(Reply):
    message: MessageObject
    raw_content: str


class Match(msgspec.Struct):
    match_content: str
    match_subject: str


class Matches(Reply):
    messages: dict[str, Match]


class RenderedText(Reply):
    rendered: str


# --- sending ---


async def send_message(
    call: Call,
    *,
    content: str,
    kind: Annotated[Literal["direct", "channel", "stream", "private"], Name("type")],
    to: str | None = None,
    topic: Annotated[str | None, Alias("subject")] = None,
    queue_id: Annotated[str | None, MaxLength(100)] = None,
    local_id: Annotated[str | None, MaxLength(200)] = None,
    read_by_sender: bool | None = None,
) -> SentMessage:
    """Send a message to a channel or to people.

    With an `Idempotency-Key` header, or with `queue_id` and `local_id`, it happens once, however
    often it is repeated.
    """
    if queue_id is not None and local_id is None:
        raise MissingParameter(name="local_id")
    echo = Echo(queue_id, local_id) if queue_id is not None and local_id is not None else None
    if kind in ("channel", "stream"):
        where = channel_from(to) if to or not call.user.is_bot else await _usual_channel(call)
        if topic is None:
            raise BadRequest("Missing topic")
        topic = topics.for_sending(topic)
        draft = await compose(call.author, content, call.client, read_by_sender)
        key = _send_key(call, echo, ["channel", where, topic, draft.content])
        sent = await call.db.write(send.to_channel, call.user, where, topic, draft, key, echo)
    else:
        recipients = people_from(to)
        draft = await compose(call.author, content, call.client, read_by_sender)
        key = _send_key(call, echo, ["direct", recipients, draft.content])
        sent = await call.db.write(
            send.to_people, call.user, recipients, draft, call.org.email_domain, key, echo
        )
    return _sent(call, sent)


async def _usual_channel(call: Call) -> int:
    """Where a bot writes that names no channel, if that was chosen for it."""
    bot = await call.db.read(bots.find, call.user.id)
    if bot.sending_channel_id is None:
        raise BadRequest("Missing channel")
    return bot.sending_channel_id


def channel_from(to: str | None) -> int | str:
    """The channel that `to` names: an id, a bare name, a JSON string or a list of one of them."""
    value = _json_or_text(to)
    if value is None:
        raise BadRequest("Missing channel")
    if isinstance(value, list):
        if len(value) != 1:
            raise BadRequest("Expected exactly one channel")
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadRequest("Invalid data type for channel")
    return as_id(value) if isinstance(value, int) else value


def people_from(to: str | None) -> list[int] | list[str]:
    """The people that `to` names: a JSON list of ids or of addresses, or addresses by comma."""
    value = _json_or_text(to)
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if value is None or value == []:
        raise BadRequest("Message must have recipients")
    if not isinstance(value, list):
        raise BadRequest("Invalid data type for recipients")
    if len(value) > limits.RECIPIENTS_PER_MESSAGE:
        raise BadRequest(f"Too many recipients (limit: {limits.RECIPIENTS_PER_MESSAGE})")
    ids = [each for each in value if isinstance(each, int) and not isinstance(each, bool)]
    addresses = [each for each in value if isinstance(each, str)]
    if len(ids) == len(value):
        return [as_id(each) for each in ids]
    if len(addresses) == len(value):
        return addresses
    if len(ids) + len(addresses) == len(value):
        raise BadRequest("Recipient lists may contain emails or user IDs, but not both.")
    raise BadRequest("Invalid data type for recipients")


def _json_or_text(text: str | None) -> Any:
    """JSON where it is JSON, else the text itself: `5` is a number, `general` a name."""
    if text is None or not text.strip():
        return None
    try:
        return decode_json(text)
    except Problem:
        return text


def _send_key(call: Call, echo: Echo | None, said: list[Any]) -> SendKey | None:
    header = call.request.header("idempotency-key")
    if header is not None:
        if not 0 < len(header) <= limits.SEND_KEY_LENGTH:
            raise BadRequest(f"Idempotency-Key must have 1 to {limits.SEND_KEY_LENGTH} characters")
        key = f"key:{header}"
    elif echo is not None:
        key = f"echo:{echo.queue_id}:{echo.local_id}"
    else:
        return None
    digest = hashlib.blake2b(msgspec.json.encode(said), digest_size=32).digest()
    return SendKey(key, digest, call.config.send_key_hours * 3600)


def _sent(call: Call, sent: Sent) -> SentMessage:
    url = _message_url(call, sent)
    link = url
    if sent.channel is not None:
        topic = topics.shown(sent.topic, allow_empty=False)
        link = f"[#{sent.channel.name} > {topic} @ 💬]({url})"
    return SentMessage(
        id=sent.message_id,
        message_url=url,
        message_link=link,
        automatic_new_visibility_policy=UNSET if sent.policy is None else int(sent.policy),
    )


def _message_url(call: Call, sent: Sent) -> str:
    if sent.channel is not None:
        place = topic_link(sent.channel.id, sent.channel.name, sent.topic)
    else:
        place = conversation_link(sent.member_ids)
    return f"{call.site}/{place}/near/{sent.message_id}"


async def render(
    call: Call, *, content: Annotated[str, MaxLength(limits.MESSAGE_LENGTH)]
) -> RenderedText:
    """Show how a message would look, without sending it."""
    return RenderedText((await rendering(call.author, content)).html)


# --- fetching ---


async def fetch_messages(
    call: Call,
    *,
    anchor: str | None = None,
    anchor_date: str | None = None,
    num_before: Annotated[int, NonNegative()] = 0,
    num_after: Annotated[int, NonNegative()] = 0,
    include_anchor: bool = True,
    use_first_unread_anchor: bool = False,
    narrow: Narrow | None = None,
    message_ids: Annotated[list[Id] | None, MaxItems(limits.MESSAGES_PER_FETCH)] = None,
    apply_markdown: bool = True,
    client_gravatar: bool = True,
    allow_empty_topic_name: bool = False,
) -> Messages:
    """Fetch messages around an anchor, or by their ids."""

    def told(shown: Shown) -> list[MessageObject]:
        objects = []
        for message in shown.messages:
            told_one = _shown(
                call,
                message,
                shown.flags[message.id],
                apply_markdown,
                client_gravatar,
                allow_empty_topic_name,
            )
            if shown.highlighter is not None:
                told_one.match_content = shown.highlighter.markup(message.rendered)
                told_one.match_subject = shown.highlighter.text(message.topic)
            objects.append(told_one)
        return objects

    terms = terms_from(narrow or [])
    if call.caller is None:
        narrowing.check_for_all(terms)
    await prepare_search(call, terms)
    read = call.db.read_aside if _searches(terms) else call.db.read
    if message_ids is not None:
        if anchor is not None or num_before or num_after or use_first_unread_anchor:
            raise UnsupportedCombination(
                parameters="num_before, num_after, anchor, message_ids, include_anchor,"
                " use_first_unread_anchor"
            )
        return Messages(
            messages=told(await read(fetch.some, asker(call), terms, message_ids)),
            found_anchor=False,
            found_oldest=False,
            found_newest=False,
        )
    if num_before + num_after > limits.MESSAGES_PER_FETCH:
        raise BadRequest(f"Too many messages requested (maximum {limits.MESSAGES_PER_FETCH}).")
    if use_first_unread_anchor:
        anchor = "first_unread"
    if anchor is None:
        raise BadRequest("Missing 'anchor' argument.")
    window = window_from(anchor, anchor_date, num_before, num_after, include_anchor)
    await _catch_up(call, terms, window)
    found, shown = await read(fetch.around, asker(call), terms, window)
    return Messages(
        messages=told(shown),
        anchor=found.anchor,
        found_anchor=found.found_anchor,
        found_oldest=found.found_oldest,
        found_newest=found.found_newest,
    )


async def matches_narrow(
    call: Call,
    *,
    msg_ids: Annotated[list[Id], MaxItems(limits.MESSAGES_PER_FETCH)],
    narrow: Narrow,
) -> Matches:
    """Say which of some messages that one has received match a narrow."""
    terms = terms_from(narrow)
    await prepare_search(call, terms)
    read = call.db.read_aside if _searches(terms) else call.db.read
    found, highlighter = await read(fetch.matching, asker(call), terms, msg_ids)
    return Matches(
        {
            str(message.id): Match(
                highlighter.markup(message.rendered), highlighter.text(message.topic)
            )
            for message in found
        }
    )


async def fetch_message(
    call: Call,
    message_id: int,
    *,
    apply_markdown: bool = True,
    client_gravatar: bool = True,
    allow_empty_topic_name: bool = False,
) -> OneMessage:
    """Fetch one message."""
    if call.caller is None:
        message, flags = await call.db.read(fetch.one_for_all, message_id), ["read"]
    else:
        message, flags = await call.db.read(fetch.one, call.caller, message_id)
    shown = _shown(call, message, flags, apply_markdown, client_gravatar, allow_empty_topic_name)
    return OneMessage(message=shown, raw_content=message.content)


async def prepare_search(call: Call, terms: list[Term]) -> None:
    """Bring the index up to date if a search would otherwise have much to read by itself.

    After a large import that takes longer than a request may; then the job goes on with it.
    """
    if _searches(terms):
        for _ in range(MOST_BATCHES):
            if not await call.db.read(searching.is_far_behind):
                return
            await call.db.write(searching.index_some)


def _searches(terms: list[Term]) -> bool:
    """Whether texts are looked into, which may take long."""
    return any(term.operator == "search" for term in terms)


async def _catch_up(call: Call, terms: list[Term], window: Window) -> None:
    """Whoever asks for what is unread does not look through all that came since, each time."""
    asks = window.anchor == "first_unread" or any(
        (term.operator, term.operand) == ("is", "unread") for term in terms
    )
    if asks and call.caller is not None and await call.db.read(reading.is_behind, call.caller.id):
        await call.db.write(reading.catch_up, call.caller.id)


def asker(call: Call) -> Asker:
    return Asker(call.reader, call.org.email_domain)


def window_from(
    anchor: str, anchor_date: str | None, num_before: int, num_after: int, include_anchor: bool
) -> Window:
    """The stretch of history that is asked for around an anchor, as clients write it."""
    if not include_anchor and num_before and num_after:
        raise BadRequest("The anchor can only be excluded at an end of the range")
    moment = None
    place: int | str = anchor
    if anchor == "date":
        if anchor_date is None:
            raise BadRequest("Missing 'anchor_date' argument.")
        moment = _moment(anchor_date)
    elif anchor not in ("newest", "oldest", "first_unread"):
        digits = anchor.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal()):
            raise BadRequest("Invalid anchor")
        place = min(int(digits[:20]), fetch.NEWEST) if digits == anchor else 0
    return Window(place, num_before, num_after, include_anchor, moment)


def _moment(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest("anchor_date is not an ISO 8601 datetime string") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.timestamp()
    except (OverflowError, ValueError):
        raise BadRequest("anchor_date is not an ISO 8601 datetime string") from None


def _shown(
    call: Call,
    message: Message,
    flags: list[str],
    apply_markdown: bool,
    client_gravatar: bool,
    allow_empty_topic: bool,
) -> MessageObject:
    shown = message_object(
        call.org,
        message,
        apply_markdown=apply_markdown,
        client_gravatar=client_gravatar,
        allow_empty_topic=allow_empty_topic,
        knows_sender=call.org.may_know(call.caller, call.org.users[message.sender_id]),
    )
    shown.flags = ["read"] if call.caller is None else flags
    add_details(call.org, shown, message, allow_empty_topic=allow_empty_topic)
    return shown
