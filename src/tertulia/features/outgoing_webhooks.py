"""Outgoing webhooks: calls them at least once, and posts what they answer once.

The answer is posted in the transaction that deletes the delivery. A person's bots share a few
slots. A webhook whose last call timed out uses a queue of its own, behind all others. If the server
is killed during a call, the call is repeated a minute later. The core stores the calls that a
message triggers (`actions/people/webhook_triggers.py`).
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec

from tertulia import actions, api, domain, events, storage
from tertulia.actions.messages.draft import Author
from tertulia.api.call import Services
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.bots import Service
from tertulia.domain.people.user import User
from tertulia.domain.version import COMPATIBLE_VERSION
from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.directory.organization import Organization
from tertulia.external import safe_http
from tertulia.external.safe_http import (
    AddressNotAllowed,
    RequestTimedOut,
    ResponseTooLarge,
    Unreachable,
)
from tertulia.fair_queue import FairQueue
from tertulia.features.feature import Feature
from tertulia.http.openapi import SentRequest
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log
from tertulia.wire import Doc, shape

TIMEOUT_SECONDS = 10
MAX_RESPONSE_BYTES = 1 << 20
MAX_ERROR_LENGTH = 500
MAX_SHOWN_RESPONSE_LENGTH = 1000  # characters of a response that the owner is shown

MAX_CLAIMED_PER_PERSON = 8
USER_AGENT = f"ZulipOutgoingWebhook/{COMPATIBLE_VERSION}"
CLIENT = "OutgoingWebhookResponse"
SLACK = 2  # the interface whose requests and answers have Slack's format


class WebhookFailure(msgspec.Struct, frozen=True):
    """A failure, in texts for the conversation and for the owner."""

    in_conversation: str
    to_owner: str
    response: str = ""
    may_retry: bool = False  # whether another try may succeed
    is_timeout: bool = False


TIMED_OUT = WebhookFailure(
    "Bot is unavailable",
    f"Request timed out after {TIMEOUT_SECONDS} seconds.",
    may_retry=True,
    is_timeout=True,
)
UNREACHABLE = WebhookFailure(
    "Bot is unavailable", "A connection error occurred. Is my bot server down?", may_retry=True
)
NOT_ALLOWED = WebhookFailure(
    "Third party responded with 407",
    "The URL configured for the webhook is for a private or disallowed network.",
)
TOO_LARGE = WebhookFailure(
    "Invalid response format",
    f"The webhook's answer was larger than {MAX_RESPONSE_BYTES} bytes.",
)
_ONLY_CHANNELS = "Slack outgoing webhooks don't support direct messages."
NO_DIRECT_MESSAGES = WebhookFailure(_ONLY_CHANNELS, _ONLY_CHANNELS)


def bad_status(status: int, response: str) -> WebhookFailure:
    return WebhookFailure(
        f"Third party responded with {status}",
        f"The webhook got a response with status code *{status}*.",
        response,
        may_retry=status >= 500,
    )


def invalid_response(why: str, response: str) -> WebhookFailure:
    return WebhookFailure(why, f"The webhook's answer could not be used: {why}.", response)


def refused(why: str) -> WebhookFailure:
    """The response is valid, but the bot may not post it."""
    return WebhookFailure("Bot may not answer here", f"The bot could not post its answer: {why}")


def _notice(bot_name: str, bot_id: int, link: str, failure: WebhookFailure) -> str:
    """The notice to the owner."""
    text = (
        f"[A message]({link}) to your bot @_**{bot_name}|{bot_id}** triggered an outgoing webhook."
        f"\n{failure.to_owner}"
    )
    if failure.response.strip():
        shown = (
            failure.response.strip()[:MAX_SHOWN_RESPONSE_LENGTH].replace("\0", "").replace("`", "'")
        )
        text += f"\n```\n{shown}\n```"
    return text


# --- actions ---


class DeliveryContext(msgspec.Struct, frozen=True):
    """The data of one delivery."""

    bot: User
    service: Service
    message: Message


class FailureNotice(msgspec.Struct, frozen=True):
    """A failure: the text for the conversation and for the owner."""

    in_conversation: Draft
    to_owner: NoticeText


def claim(tx: Tx, call: OutboxItem) -> DeliveryContext | None:
    """Claim a delivery. None if another server has, the bot is gone, or it may no longer see the
    message."""
    if not actions.outbox.claim(tx, [call]):
        return None
    bot_id, message_id = call.subjects
    bot = storage.people.users.find(tx, bot_id)
    message = storage.messages.table.find(tx, message_id)
    service = storage.people.bots.find(tx, bot_id).service
    if (
        message is None
        or bot is None
        or not actions.people.webhook_triggers.has_webhook(bot)
        or service is None
        or not service.url
        or not _may_receive(tx, bot, message)
    ):
        storage.outbox.delete(tx, call)
        return None
    return DeliveryContext(bot, service, message)


def _may_receive(tx: Tx, bot: User, message: Message) -> bool:
    """Checked again, because the message may have been moved before a retry."""
    if message.channel_id is None:
        return True
    channel = storage.channels.table.find(tx, message.channel_id)
    return channel is not None and actions.people.webhook_triggers.is_triggered_in(tx, bot, channel)


def post_response(
    tx: Tx, call: OutboxItem, context: DeliveryContext, reply: Draft, email_domain: str
) -> None:
    """Post the bot's response. Raises a ClientError if the bot may not."""
    if not storage.outbox.exists(tx, call):
        return
    _post(tx, context, reply, email_domain)
    _end(tx, call)


def reschedule(tx: Tx, call: OutboxItem, failure: WebhookFailure) -> None:
    """Schedule another try."""
    actions.outbox.record_results(tx, [], [call])
    record_outcome(tx, call.subjects[0], failure)


def give_up(
    tx: Tx,
    call: OutboxItem,
    context: DeliveryContext,
    notice: FailureNotice,
    email_domain: str,
    failure: WebhookFailure,
) -> None:
    """Delete a failed delivery and post the failure, if the bot may."""
    if not storage.outbox.exists(tx, call):
        return
    _end(tx, call, failure)
    try:
        _post(tx, context, notice.in_conversation, email_domain)
    except ClientError:
        pass  # the owner is notified in any case
    owner_id = context.bot.bot_owner_id
    owner = None if owner_id is None else storage.people.users.find(tx, owner_id)
    if owner is not None and owner.is_active:
        actions.messages.notices.send_to_user(tx, owner.id, notice.to_owner)


def _end(tx: Tx, call: OutboxItem, failure: WebhookFailure | None = None) -> None:
    """Delete a delivery and mark its message as read by the bot."""
    bot_id, message_id = call.subjects
    storage.outbox.delete(tx, call)
    record_outcome(tx, bot_id, failure)
    if storage.messages.unread.among(tx, bot_id, [message_id]):
        actions.messages.read_state.mark_read(tx, bot_id, [message_id])


def _post(tx: Tx, context: DeliveryContext, draft: Draft, email_domain: str) -> None:
    message, bot = context.message, context.bot
    if message.channel_id is not None:
        now = storage.messages.table.find(tx, message.id) or message  # it may have been moved
        where = message.channel_id if now.channel_id is None else now.channel_id
        actions.messages.send.to_channel(tx, bot, where, now.topic, draft)
    else:
        actions.messages.send.to_people(tx, bot, list(message.member_ids), draft, email_domain)


def record_outcome(tx: Tx, bot_id: int, failure: WebhookFailure | None) -> None:
    """Record what became of a call of an outgoing webhook; None if it answered."""
    if failure is None:
        tx.execute(
            "UPDATE bot SET service_timed_out = FALSE, service_answered_at = :now,"
            " service_failures = 0 WHERE user_id = :bot AND realm_id = :realm",
            now=tx.now,
            bot=bot_id,
        )
        return
    tx.execute(
        "UPDATE bot SET service_timed_out = :timed_out, service_failed_at = :now,"
        " service_failures = service_failures + 1, service_error = :error"
        " WHERE user_id = :bot AND realm_id = :realm",
        timed_out=failure.is_timeout,
        now=tx.now,
        error=failure.to_owner[:MAX_ERROR_LENGTH],
        bot=bot_id,
    )


# --- job ---


CALLS = FairQueue("webhooks", slots=64, slots_per_person=8, max_waiting=MAX_CLAIMED_PER_PERSON)
SLOW_CALLS = FairQueue(
    "slow_webhooks", slots=16, slots_per_person=4, max_waiting=MAX_CLAIMED_PER_PERSON
)


class BotReply(msgspec.Struct, frozen=True):
    """The message that a webhook answers with; empty if it answers nothing."""

    text: str
    widget: dict[str, Any] | None = None


class WebhookSender:
    transport: Transport = "webhook"
    job_name = "webhooks"
    every_seconds = 0.5
    max_claimed = 400
    max_claimed_per_person = MAX_CLAIMED_PER_PERSON

    def __init__(self, services: Services, outbox: Outbox) -> None:
        self._config = services.config
        self._database = services.database
        self._outbox = outbox
        self._delivery = services.delivery
        self.timeout_seconds: float = TIMEOUT_SECONDS

    def lane_of(self, item: OutboxItem) -> int | None:
        """One call at a time for a bot."""
        return item.user_id

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        """The next call of the bot waits for its owner's turn."""
        (call,) = items
        async with (SLOW_CALLS if call.is_slow else CALLS).slot(call.person):
            await self._send(call)
        return False

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("webhooks.call_failed", bot_id=item.user_id, **described(error))

    async def _send(self, call: OutboxItem) -> None:
        org = await self._delivery.follower.finder.find(call.realm_id)
        if org is None:
            return
        db = self._database.of(call.realm_id)
        context = await db.write(claim, call)
        if context is None:
            return
        outcome = await self._call_webhook(org, call, context)
        if isinstance(outcome, BotReply):
            outcome = await self._post_reply(db, org, call, context, outcome)
        if outcome is None:
            self._outbox.sent["webhook"] += 1
            return
        if outcome.may_retry and call.next_try(self._database.clock()) is not None:
            await db.write(reschedule, call, outcome)
            return
        self._outbox.given_up["webhook"] += 1
        complaint = await _failure_notice(db, org, context, outcome)
        await db.write(
            give_up,
            call,
            context,
            complaint,
            org.email_domain,
            outcome,
        )

    async def _call_webhook(
        self, org: Organization, call: OutboxItem, context: DeliveryContext
    ) -> Any:
        """The message that the webhook answers with, or what went wrong."""
        service = context.service
        if service.interface == SLACK and context.message.channel_id is None:
            return NO_DIRECT_MESSAGES
        kind, content = _request(org, call, context, api.call.site_of(self._config, org.realm))
        headers = {"Content-Type": kind, "User-Agent": USER_AGENT, "Accept": "application/json"}
        try:
            response = await safe_http.post(
                service.url,
                content,
                headers,
                seconds=self.timeout_seconds,
                max_bytes=MAX_RESPONSE_BYTES,
                allowed=self._config.webhook_networks,
                person=call.person,
            )
        except AddressNotAllowed:
            return NOT_ALLOWED
        except Unreachable:
            return UNREACHABLE
        except RequestTimedOut:
            return TIMED_OUT
        except ResponseTooLarge:
            return TOO_LARGE
        text = response.body.decode(errors="replace")
        if not 200 <= response.status < 300:
            return bad_status(response.status, text)
        return parse_response(text, is_slack=service.interface == SLACK)

    async def _post_reply(
        self,
        db: OrgDatabase,
        org: Organization,
        call: OutboxItem,
        context: DeliveryContext,
        reply: BotReply,
    ) -> WebhookFailure | None:
        if not reply.text.strip():
            await db.write(_end, call)
            return None
        try:
            draft = await _composed(db, org, context, reply)
            await db.write(
                post_response,
                call,
                context,
                draft,
                org.email_domain,
            )
        except ServiceUnavailable:
            raise
        except ClientError as refusal:
            return refused(refusal.msg)
        return None


# --- requests ---


class WebhookCall(msgspec.Struct):
    data: Annotated[str, Doc("The text of the message, as it was typed.")]
    message: Annotated[
        dict[str, Any],
        shape("MessageObject"),
        Doc("The message, its text as it was typed; `rendered_content` is HTML."),
    ]
    bot_email: Annotated[str, Doc("The address of the bot.")]
    bot_full_name: Annotated[str, Doc("The name of the bot.")]
    token: Annotated[str, Doc("What proves that it is this server: compare it with the bot's own.")]
    trigger: Annotated[
        str,
        Doc("Whether a message mentions the bot, or was sent to it."),
        msgspec.Meta(extra_json_schema={"enum": ["mention", "direct_message"]}),
    ]


# `parse_response` also accepts older forms.
class WebhookAnswer(msgspec.Struct):
    content: Annotated[str, Doc("What the bot replies, in the same place; empty for nothing.")] = ""
    response_not_required: Annotated[
        bool, Doc("Whether the bot posts nothing, or has posted its reply itself.")
    ] = False


def _request(
    org: Organization, call: OutboxItem, context: DeliveryContext, site: str
) -> tuple[str, bytes]:
    if context.service.interface == SLACK:
        form = urlencode(_for_slack(org, call, context, site)).encode()
        return "application/x-www-form-urlencoded", form
    return "application/json", msgspec.json.encode(_generic(org, call, context))


def _generic(org: Organization, call: OutboxItem, context: DeliveryContext) -> WebhookCall:
    message, bot = context.message, context.bot
    body = events.types.messages.message.message_object(
        org, message, apply_markdown=False, client_gravatar=False, allow_empty_topic=True
    )
    return WebhookCall(
        data=message.content,
        message=msgspec.to_builtins(body) | {"rendered_content": org.shown(message.rendered)},
        bot_email=bot.api_email(org.email_domain),
        bot_full_name=bot.full_name,
        token=context.service.token,
        trigger=call.kind,
    )


def _for_slack(
    org: Organization, call: OutboxItem, context: DeliveryContext, site: str
) -> dict[str, Any]:
    message = context.message
    assert message.channel_id is not None
    channel = org.channels.get(message.channel_id)
    return {
        "token": context.service.token,
        "team_id": f"T{org.realm.id}",
        "team_domain": site.partition("://")[2],
        "channel_id": f"C{message.channel_id}",
        "channel_name": "" if channel is None else channel.name,
        "thread_ts": math.floor(message.sent_at),
        "timestamp": math.floor(message.sent_at),
        "user_id": f"U{message.sender_id}",
        "user_name": org.users[message.sender_id].full_name,
        "text": message.content,
        "trigger_word": call.kind,
        "service_id": context.bot.id,
    }


# --- responses ---


def parse_response(text: str, *, is_slack: bool) -> BotReply | WebhookFailure:
    """The message in an answer: `content` (or `response_string`), or `text` in Slack's format."""
    if not text.strip():
        return BotReply("")
    try:
        response = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return invalid_response("Invalid JSON in response", text)
    if response == "":
        return BotReply("")
    if not isinstance(response, dict):
        return invalid_response("Invalid response format", text)
    if is_slack:
        return BotReply(str(response.get("text") or ""))
    if response.get("response_not_required"):
        return BotReply("")
    reply = str(response.get("response_string") or response.get("content") or "")
    try:
        return BotReply(reply, _widget(response.get("widget_content")))
    except (msgspec.DecodeError, RecursionError):
        return invalid_response("Invalid response format", text)


def _widget(value: Any) -> dict[str, Any] | None:
    """A widget is an object, or the JSON of one."""
    if isinstance(value, str):
        return msgspec.json.decode(value, type=dict[str, Any] | None) if value else None
    return msgspec.convert(value, dict[str, Any] | None)


async def _composed(
    db: OrgDatabase, org: Organization, context: DeliveryContext, reply: BotReply
) -> Draft:
    author = Author(db, org, context.bot)
    return await actions.messages.draft.compose(author, reply.text, CLIENT, True, reply.widget)


async def _failure_notice(
    db: OrgDatabase, org: Organization, context: DeliveryContext, failure: WebhookFailure
) -> FailureNotice:
    message, bot = context.message, context.bot
    narrow_link = domain.messages.links.conversation_link(message.member_ids)
    if message.channel_id is not None and message.channel_id in org.channels:
        channel = org.channels[message.channel_id]
        narrow_link = domain.messages.links.topic_link(channel.id, channel.name, message.topic)
    link = f"/{narrow_link}/near/{message.id}"
    text = _notice(bot.full_name, bot.id, link, failure)
    draft = await _composed(db, org, context, BotReply(text))
    in_conversation = await _composed(
        db, org, context, BotReply(f"Failure! {failure.in_conversation}")
    )
    return FailureNotice(in_conversation, NoticeText(draft.content, draft.rendered))


FEATURE = Feature(
    add_senders=lambda services, outbox: outbox.add(WebhookSender(services, outbox)),
    sent_requests=[
        SentRequest(
            "outgoing",
            "What a bot of the type outgoing webhook is sent, and what it answers",
            WebhookCall,
            WebhookAnswer,
        )
    ],
)
