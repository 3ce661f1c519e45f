"""Calls outgoing webhooks, and posts what they answer.

A person's bots share a few slots. A webhook whose last call timed out uses a queue of its own,
behind all others. If the server is killed during a call, the call is repeated a minute later.
"""

import math
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from tertulia import actions, domain, events
from tertulia.actions.messages.draft import Author
from tertulia.actions.people.webhook_deliveries import DeliveryContext, FailureNotice
from tertulia.config import Config
from tertulia.database import Database, OrgDatabase
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.webhook_deliveries import SLACK, WebhookFailure
from tertulia.domain.version import COMPATIBLE_VERSION
from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.external import safe_http
from tertulia.external.safe_http import (
    AddressNotAllowed,
    RequestTimedOut,
    ResponseTooLarge,
    Unreachable,
)
from tertulia.fair_queue import FairQueue
from tertulia.jobs.missed_messages import site_of
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log

MAX_CLAIMED_PER_PERSON = 8

CALLS = FairQueue("webhooks", slots=64, slots_per_person=8, max_waiting=MAX_CLAIMED_PER_PERSON)
SLOW_CALLS = FairQueue(
    "slow_webhooks", slots=16, slots_per_person=4, max_waiting=MAX_CLAIMED_PER_PERSON
)

USER_AGENT = f"ZulipOutgoingWebhook/{COMPATIBLE_VERSION}"
CLIENT = "OutgoingWebhookResponse"


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

    def __init__(
        self, config: Config, database: Database, outbox: Outbox, delivery: Delivery
    ) -> None:
        self._config = config
        self._database = database
        self._outbox = outbox
        self._delivery = delivery
        self.timeout_seconds: float = domain.people.webhook_deliveries.SECONDS

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
        context = await db.write(actions.people.webhook_deliveries.claim, call)
        if context is None:
            return
        outcome = await self._call_webhook(org, call, context)
        if isinstance(outcome, BotReply):
            outcome = await self._post_reply(db, org, call, context, outcome)
        if outcome is None:
            self._outbox.sent["webhook"] += 1
            return
        if outcome.may_retry and call.next_try(self._database.clock()) is not None:
            await db.write(actions.people.webhook_deliveries.reschedule, call, outcome)
            return
        self._outbox.given_up["webhook"] += 1
        complaint = await _failure_notice(db, org, context, outcome)
        await db.write(
            actions.people.webhook_deliveries.give_up,
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
            return domain.people.webhook_deliveries.no_direct_messages()
        kind, content = _request(org, call, context, site_of(self._config, org.realm))
        headers = {"Content-Type": kind, "User-Agent": USER_AGENT, "Accept": "application/json"}
        try:
            response = await safe_http.post(
                service.url,
                content,
                headers,
                seconds=self.timeout_seconds,
                max_bytes=domain.people.webhook_deliveries.MAX_RESPONSE_BYTES,
                allowed=self._config.webhook_networks,
                person=call.person,
            )
        except AddressNotAllowed:
            return domain.people.webhook_deliveries.not_allowed()
        except Unreachable:
            return domain.people.webhook_deliveries.unreachable()
        except RequestTimedOut:
            return domain.people.webhook_deliveries.timed_out()
        except ResponseTooLarge:
            return domain.people.webhook_deliveries.response_too_large()
        text = response.body.decode(errors="replace")
        if not 200 <= response.status < 300:
            return domain.people.webhook_deliveries.bad_status(response.status, text)
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
            await db.write(actions.people.webhook_deliveries.done, call)
            return None
        try:
            draft = await _composed(db, org, context, reply)
            await db.write(
                actions.people.webhook_deliveries.post_response,
                call,
                context,
                draft,
                org.email_domain,
            )
        except ServiceUnavailable:
            raise
        except ClientError as refusal:
            return domain.people.webhook_deliveries.refused(refusal.msg)
        return None


# --- requests ---


def _request(
    org: Organization, call: OutboxItem, context: DeliveryContext, site: str
) -> tuple[str, bytes]:
    if context.service.interface == SLACK:
        form = urlencode(_for_slack(org, call, context, site)).encode()
        return "application/x-www-form-urlencoded", form
    return "application/json", msgspec.json.encode(_generic(org, call, context))


def _generic(org: Organization, call: OutboxItem, context: DeliveryContext) -> dict[str, Any]:
    message, bot = context.message, context.bot
    body = events.types.messages.message.message_object(
        org, message, apply_markdown=False, client_gravatar=False, allow_empty_topic=True
    )
    return {
        "data": message.content,
        "message": msgspec.to_builtins(body) | {"rendered_content": org.shown(message.rendered)},
        "bot_email": bot.api_email(org.email_domain),
        "bot_full_name": bot.full_name,
        "token": context.service.token,
        "trigger": call.kind,
    }


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
        return domain.people.webhook_deliveries.invalid_response("Invalid JSON in response", text)
    if response == "":
        return BotReply("")
    if not isinstance(response, dict):
        return domain.people.webhook_deliveries.invalid_response("Invalid response format", text)
    if is_slack:
        return BotReply(str(response.get("text") or ""))
    if response.get("response_not_required"):
        return BotReply("")
    reply = str(response.get("response_string") or response.get("content") or "")
    try:
        return BotReply(reply, _widget(response.get("widget_content")))
    except (msgspec.DecodeError, RecursionError):
        return domain.people.webhook_deliveries.invalid_response("Invalid response format", text)


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
    text = domain.people.webhook_deliveries.notice(bot.full_name, bot.id, link, failure)
    draft = await _composed(db, org, context, BotReply(text))
    in_conversation = await _composed(
        db, org, context, BotReply(f"Failure! {failure.in_conversation}")
    )
    return FailureNotice(in_conversation, NoticeText(draft.content, draft.rendered))
