"""Calling outgoing webhooks: each at least once, one at a time for a bot, many bots at a time.

People take turns: a person's bots share a few slots, and which due calls are claimed from the
database is decided person by person. A webhook whose last call timed out waits in a queue of its
own, behind all others. If the server is killed during a call, the call is repeated a minute later.
"""

import asyncio
import math
from collections import Counter
from typing import Any
from urllib.parse import urlencode

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.actions.messages.draft import Author
from tertulia.actions.people.webhook_deliveries import Complaint, Occasion
from tertulia.config import Config
from tertulia.database import Database, OrgDatabase
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.webhook_deliveries import SLACK, Trouble, WebhookCall
from tertulia.domain.version import COMPATIBLE_VERSION
from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.external import safe_http
from tertulia.external.safe_http import AnswerTooLarge, NotAllowed, NotReached, TookTooLong
from tertulia.fair_queue import FairQueue
from tertulia.jobs import runner
from tertulia.jobs.missed_messages import site_of
from tertulia.jobs.runner import described
from tertulia.log import log

MAX_CLAIMED = 400  # calls taken from the database that run or wait for a slot
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
    def __init__(self, config: Config, database: Database, delivery: Delivery) -> None:
        self._config = config
        self._database = database
        self._delivery = delivery
        self.patience_seconds: float = domain.people.webhook_deliveries.SECONDS
        self._busy: dict[int, asyncio.Task[None]] = {}  # by bot id
        self._claimed: Counter[tuple[int, bool]] = Counter()  # by owner and queue

    async def run_once(self) -> None:
        """Claim due calls, owners in turn; each runs when its owner gets a slot."""
        room = MAX_CLAIMED - len(self._busy)
        if room <= 0:
            return
        due = await self._database.read_in(
            0,
            storage.people.webhook_deliveries.first_of_each_bot,
            MAX_CLAIMED + len(self._busy),
            4 * MAX_CLAIMED_PER_PERSON,  # all that may run in both queues, and as many again
        )
        for call in due:
            is_free = call.bot_id not in self._busy and len(self._busy) < MAX_CLAIMED
            if is_free and self._claimed[call.person, call.is_slow] < MAX_CLAIMED_PER_PERSON:
                self._claimed[call.person, call.is_slow] += 1
                self._busy[call.bot_id] = asyncio.create_task(self._serve(call))

    async def stop(self) -> None:
        """Cancel running calls; they stay in the database and are made later."""
        await runner.end(self._busy.values())

    async def _serve(self, call: WebhookCall) -> None:
        try:
            async with (SLOW_CALLS if call.is_slow else CALLS).slot(call.person):
                await self._make(call)
        except ServiceUnavailable:
            pass  # the call stays and is claimed again when the database is back
        except Exception as error:
            log.error("webhooks.call_failed", bot_id=call.bot_id, **described(error))
        finally:
            self._busy.pop(call.bot_id, None)
            self._claimed[call.person, call.is_slow] -= 1
            if not self._claimed[call.person, call.is_slow]:
                del self._claimed[call.person, call.is_slow]

    async def _make(self, call: WebhookCall) -> None:
        org = await self._delivery.follower.finder.find(call.realm_id)
        if org is None:
            return
        db = self._database.of(call.realm_id)
        occasion = await db.write(actions.people.webhook_deliveries.take, call)
        if occasion is None:
            return
        outcome = await self._ask(org, call, occasion)
        if isinstance(outcome, BotReply):
            outcome = await self._post_reply(db, org, call, occasion, outcome)
        if outcome is None:
            return
        next_try = call.next_try(self._database.clock()) if outcome.may_pass else None
        if next_try is not None:
            await db.write(
                actions.people.webhook_deliveries.put_off, call, next_try, outcome.is_timeout
            )
            return
        complaint = await _complaint(db, org, occasion, outcome)
        await db.write(
            actions.people.webhook_deliveries.give_up,
            call,
            occasion,
            complaint,
            org.email_domain,
            outcome.is_timeout,
        )

    async def _ask(self, org: Organization, call: WebhookCall, occasion: Occasion) -> Any:
        """The message that the webhook answers with, or what went wrong."""
        service = occasion.service
        if service.interface == SLACK and occasion.message.channel_id is None:
            return domain.people.webhook_deliveries.no_direct_messages()
        kind, content = _request(org, call, occasion, site_of(self._config, org.realm))
        headers = {"Content-Type": kind, "User-Agent": USER_AGENT, "Accept": "application/json"}
        try:
            answer = await safe_http.post(
                service.url,
                content,
                headers,
                seconds=self.patience_seconds,
                most_bytes=domain.people.webhook_deliveries.MAX_ANSWER_BYTES,
                allowed=self._config.webhook_networks,
                person=call.person,
            )
        except NotAllowed:
            return domain.people.webhook_deliveries.not_allowed()
        except NotReached:
            return domain.people.webhook_deliveries.not_reached()
        except TookTooLong:
            return domain.people.webhook_deliveries.timed_out()
        except AnswerTooLarge:
            return domain.people.webhook_deliveries.too_long_answer()
        text = answer.body.decode(errors="replace")
        if not 200 <= answer.status < 300:
            return domain.people.webhook_deliveries.bad_status(answer.status, text)
        return understood(text, is_slack=service.interface == SLACK)

    async def _post_reply(
        self,
        db: OrgDatabase,
        org: Organization,
        call: WebhookCall,
        occasion: Occasion,
        reply: BotReply,
    ) -> Trouble | None:
        if not reply.text.strip():
            await db.write(actions.people.webhook_deliveries.done, call)
            return None
        try:
            draft = await _composed(db, org, occasion, reply)
            await db.write(
                actions.people.webhook_deliveries.answered, call, occasion, draft, org.email_domain
            )
        except ServiceUnavailable:
            raise
        except ClientError as refusal:
            return domain.people.webhook_deliveries.refused(refusal.msg)
        return None


# --- requests ---


def _request(
    org: Organization, call: WebhookCall, occasion: Occasion, site: str
) -> tuple[str, bytes]:
    if occasion.service.interface == SLACK:
        form = urlencode(_for_slack(org, call, occasion, site)).encode()
        return "application/x-www-form-urlencoded", form
    return "application/json", msgspec.json.encode(_generic(org, call, occasion))


def _generic(org: Organization, call: WebhookCall, occasion: Occasion) -> dict[str, Any]:
    message, bot = occasion.message, occasion.bot
    body = events.types.messages.message.message_object(
        org, message, apply_markdown=False, client_gravatar=False, allow_empty_topic=True
    )
    return {
        "data": message.content,
        "message": msgspec.to_builtins(body) | {"rendered_content": org.shown(message.rendered)},
        "bot_email": bot.api_email(org.email_domain),
        "bot_full_name": bot.full_name,
        "token": occasion.service.token,
        "trigger": call.reason,
    }


def _for_slack(
    org: Organization, call: WebhookCall, occasion: Occasion, site: str
) -> dict[str, Any]:
    message = occasion.message
    assert message.channel_id is not None
    channel = org.channels.get(message.channel_id)
    return {
        "token": occasion.service.token,
        "team_id": f"T{org.realm.id}",
        "team_domain": site.partition("://")[2],
        "channel_id": f"C{message.channel_id}",
        "channel_name": "" if channel is None else channel.name,
        "thread_ts": math.floor(message.sent_at),
        "timestamp": math.floor(message.sent_at),
        "user_id": f"U{message.sender_id}",
        "user_name": org.users[message.sender_id].full_name,
        "text": message.content,
        "trigger_word": call.reason,
        "service_id": occasion.bot.id,
    }


# --- responses ---


def understood(text: str, *, is_slack: bool) -> BotReply | Trouble:
    """The message in an answer: `content` (or `response_string`), or `text` in Slack's format."""
    if not text.strip():
        return BotReply("")
    try:
        answer = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return domain.people.webhook_deliveries.bad_answer("Invalid JSON in response", text)
    if answer == "":
        return BotReply("")
    if not isinstance(answer, dict):
        return domain.people.webhook_deliveries.bad_answer("Invalid response format", text)
    if is_slack:
        return BotReply(str(answer.get("text") or ""))
    if answer.get("response_not_required"):
        return BotReply("")
    said = str(answer.get("response_string") or answer.get("content") or "")
    try:
        return BotReply(said, _widget(answer.get("widget_content")))
    except (msgspec.DecodeError, RecursionError):
        return domain.people.webhook_deliveries.bad_answer("Invalid response format", text)


def _widget(value: Any) -> dict[str, Any] | None:
    """A widget is an object, or the JSON of one."""
    if isinstance(value, str):
        return msgspec.json.decode(value, type=dict[str, Any] | None) if value else None
    return msgspec.convert(value, dict[str, Any] | None)


async def _composed(
    db: OrgDatabase, org: Organization, occasion: Occasion, reply: BotReply
) -> Draft:
    author = Author(db, org, occasion.bot)
    return await actions.messages.draft.compose(author, reply.text, CLIENT, True, reply.widget)


async def _complaint(
    db: OrgDatabase, org: Organization, occasion: Occasion, trouble: Trouble
) -> Complaint:
    message, bot = occasion.message, occasion.bot
    place = domain.messages.links.conversation_link(message.member_ids)
    if message.channel_id is not None and message.channel_id in org.channels:
        channel = org.channels[message.channel_id]
        place = domain.messages.links.topic_link(channel.id, channel.name, message.topic)
    link = f"/{place}/near/{message.id}"
    text = domain.people.webhook_deliveries.notice(bot.full_name, bot.id, link, trouble)
    draft = await _composed(db, org, occasion, BotReply(text))
    in_place = await _composed(db, org, occasion, BotReply(f"Failure! {trouble.in_conversation}"))
    return Complaint(in_place, NoticeText(draft.content, draft.rendered))
