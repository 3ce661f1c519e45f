"""Incoming webhooks: a service calls, and a bot posts a message about it.

No person reads the response to a webhook. Errors are therefore also sent to the bot's owner by
Notification Bot, at most once a minute for each kind of error.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import actions, domain, integrations, locale, storage
from tertulia.actions.messages.draft import Author
from tertulia.api.call import Call
from tertulia.domain.people.bots import BotUse
from tertulia.domain.people.user import BotType, User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.channels import ChannelIdNotFound, ChannelNotFound
from tertulia.errors.http import RateLimited, ServiceUnavailable
from tertulia.errors.integrations import UnknownIntegration
from tertulia.events.snapshot.server_info import IncomingWebhookService
from tertulia.http.forms import RawBody, decoded, media_type, read_urlencoded, unquote
from tertulia.http.json_text import decode_json
from tertulia.http.parameter_rules import Example, MaxLength, Problem, parse_id
from tertulia.http.replies import Reply
from tertulia.http.request import begins_as_json
from tertulia.integrations import (
    Filters,
    Integration,
    SignedRequest,
    WebhookMessage,
    WebhookRequest,
)
from tertulia.wire import Doc
from tertulia.wire_fields import (
    BotId,
    BotOwnerId,
    BotTypeNumber,
    ChannelNameOrId,
    HtmlText,
    LastUsed,
    MarkdownText,
    TopicName,
)

MAX_BODY = 4 << 20
SLACK = "slack_incoming"
MAX_PREVIEW_LENGTH = 100_000

# `realm_incoming_webhook_bots` of the register state. It is the same for every user.
ENCODED_CATALOGUE = msgspec.Raw(
    msgspec.json.encode(
        [
            IncomingWebhookService(
                name=each.name,
                display_name=each.title,
                all_event_types=None if each.events is None else sorted(each.events),
                config_options=[],
                url_options=[],
            )
            for each in sorted(integrations.INTEGRATIONS.values(), key=lambda each: each.name)
        ]
    )
)


TextTemplate = Annotated[str, Doc("For the service `template`: the Jinja template of the message.")]
TopicTemplate = Annotated[str, Doc("For the service `template`: the Jinja template of the topic.")]
ApiKey = Annotated[str, Doc("The API key of the bot, for services that cannot send a header.")]
IntegrationText = Annotated[str, Doc("The name of the service, such as `github`.", example="json")]


class Received(Reply):
    ok: Annotated[bool | UnsetType, Doc("Always true, as in Slack's response.")] = UNSET


async def receive(
    call: Call,
    integration: IntegrationText,
    *,
    api_key: Annotated[ApiKey | None, Example("zT5CbUwBaCAVqM9WXYDQZvf7XfgTYJzy")] = None,
    stream: Annotated[ChannelNameOrId | None, Example("general")] = None,
    topic: Annotated[TopicName | None, Example("builds")] = None,
    only_events: Annotated[
        list[str] | None, Doc("Patterns of events to post; others are ignored.")
    ] = None,
    exclude_events: Annotated[list[str] | None, Doc("Patterns of events to ignore.")] = None,
    branches: Annotated[
        str | None,
        Doc("Comma-separated patterns of branches; pushes to other branches are ignored."),
    ] = None,
    ignore_private_repositories: Annotated[
        bool | None, Doc("Whether to ignore events of private repositories.")
    ] = None,
    webhook_secret: Annotated[
        str | None, Doc("The secret that the service signs with; unsigned requests are refused.")
    ] = None,
    payload: Annotated[str | None, Doc("The JSON, for services that send a form.")] = None,
    name: Annotated[str | None, Doc("The name.")] = None,
    desc: Annotated[
        str | None, Doc("For Alertmanager: the annotation with the description of an alert.")
    ] = None,
    ticket_id: Annotated[str | None, Doc("For Zendesk: the number of the ticket.")] = None,
    ticket_title: Annotated[str | None, Doc("For Zendesk: the title of the ticket.")] = None,
    message: Annotated[str | None, Doc("For Zendesk: the message of a trigger.")] = None,
    topic_template: TopicTemplate | None = None,
    text_template: TextTemplate | None = None,
    body: RawBody,
) -> Received:
    """Receive a webhook of another service and post it as the bot whose key is in the address."""
    service = _find(integration)
    wanted = Filters(
        only_events,
        exclude_events,
        branches=None if branches is None else [each.strip() for each in branches.split(",")],
        ignore_private=bool(ignore_private_repositories),
    )
    try:
        sent = (call, service, _secret(call, webhook_secret), payload, body)
        size = MAX_BODY if service.is_slow() else call.request.size
        posted = await decoded(call.request.person, size, _to_message, *sent)
        for each in () if posted is None else (posted, *posted.more):
            if wanted.accepts(each):
                await _post(call, service, each, stream, topic)
    except (RateLimited, ServiceUnavailable):
        raise
    except ClientError as refusal:
        await _notify_owner(call, service, refusal.msg)
        raise _error_for(service, refusal) from None
    return Received(ok=True if service.name == SLACK else UNSET)


async def check_url(
    call: Call,
    integration: IntegrationText,
    *,
    api_key: Annotated[ApiKey | None, Example("zT5CbUwBaCAVqM9WXYDQZvf7XfgTYJzy")] = None,
) -> None:
    """Check the key in a webhook address, without sending a message.

    Some services ask so, with HEAD, before they accept an address.
    """
    _find(integration)


# --- the catalogue, examples and previews ---


class CatalogueEntry(msgspec.Struct, frozen=True):
    name: Annotated[str, Doc("The name of the service, for programs.")]
    display_name: Annotated[str, Doc("The name of the service, for people.")]
    setup: Annotated[str, Doc("Where in the service the URL is entered.")]
    is_signed: Annotated[bool, Doc("Whether its requests are signed, so that a secret can be set.")]
    all_event_types: Annotated[
        list[str] | None, Doc("The names of its events; null if there is no fixed list.")
    ]


class Catalogue(Reply):
    integrations: Annotated[list[CatalogueEntry], Doc("The services, by name.")]


class IntegrationBot(msgspec.Struct, frozen=True):
    user_id: BotId
    bot_owner_id: BotOwnerId | None
    bot_type: BotTypeNumber
    last_used: LastUsed | None
    payload_url: Annotated[str | None, Doc("The URL of the outgoing webhook; null if it has none.")]
    failures: Annotated[int, Doc("The number of calls that have failed in a row.")]
    last_failure: Annotated[
        int | None,
        Doc("The time of the last failed call, in UNIX seconds; null if there was none."),
    ]
    last_error: Annotated[
        str | None, Doc("The last error of the outgoing webhook; null if there was none.")
    ]


class IntegrationBots(Reply):
    bots: Annotated[list[IntegrationBot], Doc("The bots that the caller owns.")]


class TemplatePreview(Reply):
    topic: TopicName | None
    content: MarkdownText | None
    rendered: HtmlText | None


async def catalogue(call: Call) -> Catalogue:
    """List the services whose webhooks the server understands."""
    services = sorted(integrations.INTEGRATIONS.values(), key=lambda each: each.title.lower())
    return Catalogue(
        integrations=[
            CatalogueEntry(
                each.name,
                each.title,
                setup_hint(each),
                each.check is not None,
                None if each.events is None else sorted(each.events),
            )
            for each in services
        ]
    )


def setup_hint(service: Integration) -> str:
    """Where in the service the URL is entered, in English and without emphasis."""
    return locale.texts(locale.ENGLISH)(f"hooks.setup.{service.name}").replace("*", "")


async def list_bots(call: Call) -> IntegrationBots:
    """List the caller's bots, or all bots for administrators, with their last use and failures."""
    shown = [
        each
        for each in call.org.users.values()
        if each.is_bot
        and each.is_active
        and not each.is_system_bot
        and (call.user.is_admin or each.bot_owner_id == call.user.id)
    ]
    used = await call.db.read(storage.people.bots.uses, [each.id for each in shown])
    by_id = {each.user_id: each for each in used}
    return IntegrationBots(
        bots=[_with_use(each, by_id[each.id]) for each in shown if each.id in by_id]
    )


async def send_example(
    call: Call,
    integration: IntegrationText,
    *,
    bot_id: BotId,
    stream: ChannelNameOrId | None = None,
    topic: TopicName | None = None,
) -> None:
    """Post a recorded example of a service, as its webhook with this bot would."""
    service = _find(integration)
    bot = await call.db.read(actions.people.bots.usable_by, call.user, bot_id)
    example = integrations.examples.request(service.name)
    posted = await decoded(call.request.person, MAX_BODY, service.message_for, example)
    for each in () if posted is None else (posted, *posted.more):
        await _send(call, bot, service, each, stream, topic)


async def preview_template(
    call: Call,
    *,
    payload: Annotated[
        str,
        MaxLength(MAX_PREVIEW_LENGTH),
        Doc("The JSON, for services that send a form."),
        Example('{"status": "up"}'),
    ],
    text_template: Annotated[TextTemplate, Example("It is {{ status }}")],
    topic_template: TopicTemplate | None = None,
) -> TemplatePreview:
    """Show the message that the templates of a webhook make of a payload."""
    service = _find("template")
    try:
        value = decode_json(payload)
    except Problem:
        raise BadRequest("Malformed JSON", problem="malformed-json") from None
    query = {"text_template": text_template, "topic_template": topic_template or ""}
    posted = await decoded(
        call.request.person, MAX_BODY, service.message_for, WebhookRequest(value, {}, query)
    )
    if posted is None:
        return TemplatePreview(topic=None, content=None, rendered=None)
    shown = await actions.messages.draft.rendering(call.author, posted.text)
    return TemplatePreview(
        topic=_topic(posted.topic), content=posted.text, rendered=call.org.shown(shown.html)
    )


def _with_use(bot: User, use: BotUse) -> IntegrationBot:
    return IntegrationBot(
        bot.id,
        bot.bot_owner_id,
        int(bot.bot_type or BotType.GENERIC),
        None if use.last_used_at is None else int(use.last_used_at),
        use.service_url,
        use.service_failures,
        None if use.service_failed_at is None else int(use.service_failed_at),
        use.service_error,
    )


def _find(name: str) -> Integration:
    service = integrations.find(name)
    if service is None:
        raise UnknownIntegration(name=name)
    return service


# --- the request ---


def _secret(call: Call, given: str | None) -> str | None:
    """The secret in the URL; the body is written by any sender that knows the URL."""
    return read_urlencoded(call.request.raw_query).get("webhook_secret", given)


def _to_message(
    call: Call, service: Integration, secret: str | None, payload: str | None, body: bytes
) -> WebhookMessage | None:
    """The message of a webhook request, if there is one; large payloads are parsed on a thread."""
    if secret is not None:
        _check_signature(call, service, secret, body)
    # The address comes last: its templates win over those in a form.
    query = {**call.request.params, **read_urlencoded(call.request.raw_query)}
    return service.message_for(
        WebhookRequest(_payload(call, payload, body), call.request.headers, query)
    )


def _payload(call: Call, payload: str | None, body: bytes) -> Any:
    """The JSON of the body or of the form field `payload`; otherwise the form's fields."""
    kind = media_type(call.request.header("content-type") or "")
    is_form = kind in ("application/x-www-form-urlencoded", "multipart/form-data")
    if payload is None and is_form and not begins_as_json(body):
        return dict(call.request.params)
    if payload is None and not body.strip():
        return {}
    try:
        return decode_json(body.decode() if payload is None else payload)
    except (Problem, UnicodeDecodeError):
        raise BadRequest("Malformed JSON", problem="malformed-json") from None


def _check_signature(call: Call, service: Integration, secret: str, body: bytes) -> None:
    if service.check is None:
        raise BadRequest(f"{service.title} does not sign what it sends: leave webhook_secret out.")
    signed = SignedRequest(body, call.request.headers, _address(call), call.now)
    if not service.check(signed, secret.encode()):
        raise BadRequest("Webhook signature verification failed.")


def _address(call: Call) -> str:
    """The URL exactly as configured at the service, because some services sign it."""
    query = call.request.raw_query.decode("latin-1")
    return f"{call.site}{call.request.path}?{query}" if query else f"{call.site}{call.request.path}"


# --- the message ---


async def _post(
    call: Call, service: Integration, posted: WebhookMessage, stream: str | None, topic: str | None
) -> None:
    try:
        await _send(call, call.user, service, posted, stream, topic)
    except (ChannelNotFound, ChannelIdNotFound):
        # Compat: the sender gets success, so that it keeps sending.
        await _notify_owner(call, service, _no_channel(_channel(_decoded(stream or ""))))


async def _send(
    call: Call,
    bot: User,
    service: Integration,
    posted: WebhookMessage,
    stream: str | None,
    topic: str | None,
) -> None:
    """Post a message as the bot: to a channel, or to its owner."""
    text = posted.text.replace("\0", "")
    author = Author(call.system_db, call.org, bot, call.site)
    draft = await actions.messages.draft.compose(author, text, service.client, None)
    draft = replace(draft, has_commands=False)
    if posted.to_owner or stream is None or not stream.strip():
        to = bot.id if bot.bot_owner_id is None else bot.bot_owner_id
        await call.db.write(
            actions.messages.send.to_people, bot, [to], draft, call.org.email_domain
        )
        return
    where = _channel(_decoded(stream))
    chosen = domain.channels.topics.for_sending(_topic(_decoded(topic or "") or posted.topic))
    await call.db.write(actions.messages.send.to_channel, bot, where, chosen, draft)


def _channel(text: str) -> int | str:
    found = parse_id(text)
    return text if found is None else found


def _topic(text: str) -> str:
    """A valid topic: the sender could not correct an invalid one."""
    words = " ".join(domain.names.cleaned(text).split())
    return domain.names.cleaned(words, integrations.TOPIC_LENGTH, "...")


def _decoded(text: str) -> str:
    """Compat: some services percent-encode the query twice."""
    return unquote(text).strip()


def _no_channel(where: int | str) -> str:
    if isinstance(where, int):
        return f"There is no channel with the ID {where} that the bot could write to."
    return f"There is no channel {where!r} that the bot could write to."


# --- errors ---


async def _notify_owner(call: Call, service: Integration, trouble: str) -> None:
    """A person who calls reads the answer; a bot's owner does not."""
    owner_id = call.user.bot_owner_id
    if owner_id is None:
        return
    kind = (call.user.id, service.name, trouble[:100])
    if call.services.owner_notices.check(kind).is_allowed:
        words = domain.messages.notices.webhook_problem(call.user, service.title, trouble[:500])
        await call.db.write(actions.messages.notices.send_to_user, owner_id, words)


def _error_for(service: Integration, refusal: ClientError) -> ClientError:
    """Compat: Slack's format has `ok` and `error`."""
    if service.name != SLACK:
        return refusal
    fields: Mapping[str, Any] = {**refusal.extra(), "ok": False, "error": refusal.msg}
    return BadRequest(refusal.msg, answer=fields)
