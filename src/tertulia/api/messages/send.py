"""Sending messages, and rendering without sending."""

import hashlib
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, storage
from tertulia.actions.messages.idempotency import SendKey, Sent
from tertulia.actions.messages.send import ChannelDestination, PeopleDestination
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import (
    ChannelMissing,
    MalformedRecipients,
    RecipientsMissing,
    TopicMissing,
)
from tertulia.errors.parameters import MissingParameter, TooMany
from tertulia.events.types.messages.message import LocalEcho
from tertulia.http.json_text import decode_json
from tertulia.http.parameter_rules import Alias, Described, Example, MaxLength, Name, Problem, as_id
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import HtmlText, MarkdownText, MessageId, ReadBySender, TopicName

_JSON_WORDS = ("null", "true", "false")

# A channel by name or id, or people by id or address.
To = Annotated[
    str,
    Described(
        anyOf=[
            {"type": "string"},
            {"type": "integer"},
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": {"type": "string"}},
        ]
    ),
    Doc("The recipient: a channel by name or id, or a list of user ids or addresses."),
]

# The destination of a call, a command or a streamed answer.
PlaceKind = Annotated[
    Literal["direct", "channel", "stream"],
    Name("type"),
    Doc("Where: `channel` (`stream`) or `direct`.", example="channel"),
]
PlaceTo = Annotated[
    To, Doc("A channel by name or id, or a list of user ids or addresses.", example="general")
]
PlaceTopic = Annotated[TopicName, Example("lunch")]

Destination: TypeAlias = ChannelDestination | PeopleDestination
SendAction: TypeAlias = Callable[
    [Tx, User, Destination, Draft, SendKey | None, LocalEcho | None], Sent
]


class SentMessage(Reply):
    id: MessageId
    message_url: Annotated[str, Doc("The URL of the message.")]
    message_link: Annotated[str, Doc("A link to the message, in Markdown.")]
    automatic_new_visibility_policy: Annotated[
        int | UnsetType, Doc("The new visibility policy of the topic, if sending has changed it.")
    ] = UNSET


class RenderedText(Reply):
    rendered: HtmlText


async def send_message(
    call: Call,
    *,
    content: MarkdownText,
    kind: Annotated[
        Literal["direct", "channel", "stream", "private", "dm"],
        Name("type"),
        Doc(
            "The type of recipient: `channel` (`stream`) or `direct` (`private`).",
            example="channel",
        ),
    ],
    to: Annotated[To | None, Example("general")] = None,
    topic: Annotated[str | None, Alias("subject"), Doc("The topic."), Example("lunch")] = None,
    queue_id: Annotated[
        str | None, MaxLength(100), Doc("The id of the queue, from `POST /register`.")
    ] = None,
    local_id: Annotated[
        str | None, MaxLength(200), Doc("The client's own id of the message.")
    ] = None,
    read_by_sender: ReadBySender | None = None,
    widget_content: Annotated[
        dict[str, Any] | None,
        Doc("A widget: `widget_type` (`poll`, `todo`, `zform`) and `extra_data`."),
    ] = None,
) -> SentMessage:
    """Send a message to a channel or to people.

    With an `Idempotency-Key` header, or with `queue_id` and `local_id`, a repeated call sends
    nothing and gets the first answer.
    """
    if queue_id is not None and local_id is None:
        raise MissingParameter(name="local_id")
    echo = LocalEcho(queue_id, local_id) if queue_id is not None and local_id is not None else None
    if kind in ("channel", "stream") and not to and call.user.is_bot:
        to = str(await _usual_channel(call))
    return await send_to(
        call,
        destination_of(call, kind, to, topic),
        content,
        key=_idempotency_key(call, echo),
        echo=echo,
        read_by_sender=read_by_sender,
        widget_content=widget_content,
    )


async def send_to(
    call: Call,
    destination: Destination,
    content: str,
    *,
    key: str | None = None,
    echo: LocalEcho | None = None,
    read_by_sender: bool | None = None,
    widget_content: dict[str, Any] | None = None,
    action: SendAction = actions.messages.send.send,
) -> SentMessage:
    """Send a message; with a key that was used before, send nothing."""
    draft = await actions.messages.draft.compose(
        call.author, content, call.client, read_by_sender, widget_content
    )
    send_key = None if key is None else _send_key(call, key, destination, draft)
    sent = await call.db.write(action, call.user, destination, draft, send_key, echo)
    return _sent(call, sent)


async def _usual_channel(call: Call) -> int:
    """The default channel of a bot that names none, if it has one."""
    bot = await call.db.read(storage.people.bots.find, call.user.id)
    if bot.sending_channel_id is None:
        raise ChannelMissing()
    return bot.sending_channel_id


def destination_of(call: Call, kind: str, to: str | None, topic: str | None) -> Destination:
    """The place that `type`, `to` and `topic` name."""
    checked = None if topic is None else domain.channels.topics.for_sending(topic)
    if kind not in ("channel", "stream"):
        return PeopleDestination(people_from(to), call.org.email_domain)
    channel = channel_from(to)
    if checked is None:
        raise TopicMissing()
    return ChannelDestination(channel, checked)


def channel_from(to: str | None) -> int | str:
    """The channel that `to` names: an id, a bare name, a JSON string or a list of one of them."""
    value = _json_or_text(to)
    if value is None:
        raise ChannelMissing()
    if isinstance(value, list):
        if len(value) != 1:
            raise BadRequest("Expected exactly one channel")
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadRequest("Invalid data type for channel")
    return as_id(value) if isinstance(value, int) else value


def people_from(to: str | None) -> list[int] | list[str]:
    """The recipients in `to`: a JSON list of ids or addresses, or comma-separated addresses."""
    value = _json_or_text(to)
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if value is None or value == []:
        raise RecipientsMissing()
    if not isinstance(value, list):
        raise MalformedRecipients()
    if len(value) > domain.limits.MAX_RECIPIENTS_PER_MESSAGE:
        raise TooMany("recipients", domain.limits.MAX_RECIPIENTS_PER_MESSAGE)
    ids = [each for each in value if isinstance(each, int) and not isinstance(each, bool)]
    addresses = [each for each in value if isinstance(each, str)]
    if len(ids) == len(value):
        return [as_id(each) for each in ids]
    if len(addresses) == len(value):
        return addresses
    if len(ids) + len(addresses) == len(value):
        raise BadRequest("Recipient lists may contain emails or user IDs, but not both.")
    raise MalformedRecipients()


def _json_or_text(text: str | None) -> Any:
    """JSON if it parses, otherwise the text: `5` is a number, `general` a name."""
    if text is None or not text.strip():
        return None
    if text[0].isalpha() and text.rstrip() not in _JSON_WORDS:
        return text  # the common case: a name or an address
    try:
        return decode_json(text)
    except Problem:
        return text


def _content_of(draft: Draft) -> list[str]:
    return (
        [draft.content] if draft.widget_payload is None else [draft.content, draft.widget_payload]
    )


def _idempotency_key(call: Call, echo: LocalEcho | None) -> str | None:
    header = call.request.header("idempotency-key")
    if header is not None:
        if not 0 < len(header) <= domain.limits.MAX_SEND_KEY_LENGTH:
            raise BadRequest(
                f"Idempotency-Key must have 1 to {domain.limits.MAX_SEND_KEY_LENGTH} characters"
            )
        return f"key:{header}"
    return None if echo is None else f"echo:{echo.queue_id}:{echo.local_id}"


def _send_key(call: Call, key: str, destination: Destination, draft: Draft) -> SendKey:
    if isinstance(destination, ChannelDestination):
        request: list[Any] = ["channel", *destination]
    else:
        request = ["direct", destination.recipients]
    content = msgspec.json.encode([*request, *_content_of(draft)])
    digest = hashlib.blake2b(content, digest_size=32).digest()
    return SendKey(key, digest, call.config.send_key_hours * 3600)


def _sent(call: Call, sent: Sent) -> SentMessage:
    url = _message_url(call, sent)
    link = url
    if sent.channel is not None:
        topic = domain.channels.topics.shown(sent.topic, allow_empty=False)
        link = f"[#{sent.channel.name} > {topic} @ 💬]({url})"
    return SentMessage(
        id=sent.message_id,
        message_url=url,
        message_link=link,
        automatic_new_visibility_policy=UNSET if sent.policy is None else int(sent.policy),
    )


def _message_url(call: Call, sent: Sent) -> str:
    if sent.channel is not None:
        narrow_link = domain.messages.links.topic_link(
            sent.channel.id, sent.channel.name, sent.topic
        )
    else:
        narrow_link = domain.messages.links.conversation_link(sent.member_ids)
    return f"{call.site}/{narrow_link}/near/{sent.message_id}"


async def render(
    call: Call,
    *,
    content: Annotated[
        str,
        MaxLength(domain.limits.MAX_MESSAGE_LENGTH),
        Doc("The text, in Markdown.", example="Soup is on!"),
    ],
) -> RenderedText:
    """Render a message without sending it."""
    rendered = await actions.messages.draft.rendering(call.author, content)
    return RenderedText(call.org.shown(rendered.html))
