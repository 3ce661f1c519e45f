"""Interactions of outgoing webhooks: each is sent at least once, with its id. The HTTP response is
the answer."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from tertulia import actions, storage
from tertulia.actions.messages.draft import Author
from tertulia.api.call import Services
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.bots import Service
from tertulia.domain.people.user import User
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
from tertulia.features import outgoing_webhooks
from tertulia.features.apps import interactions
from tertulia.features.apps.fields import Form
from tertulia.features.apps.interactions import BotAnswer, Interaction, InteractionObject
from tertulia.features.outgoing_webhooks import (
    CALLS,
    CLIENT,
    MAX_RESPONSE_BYTES,
    SLOW_CALLS,
    TIMEOUT_SECONDS,
    USER_AGENT,
    WebhookFailure,
)
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log
from tertulia.wire import Doc


class InteractionCall(msgspec.Struct):
    type: Annotated[str, Doc("Always `interaction`.")]
    interaction: Annotated[InteractionObject, Doc("What happened. Its id is the same if repeated.")]
    user_full_name: Annotated[str, Doc("The name of the person.")]
    bot_email: Annotated[str, Doc("The address of the bot.")]
    token: Annotated[str, Doc("What proves that it is this server: compare it with the bot's own.")]


class InteractionAnswer(msgspec.Struct):
    """Empty if the bot answers later by the API, or not at all."""

    content: Annotated[str, Doc("A message, in Markdown.")] = ""
    only_you: Annotated[bool, Doc("Whether only the person sees it.")] = False
    form: Annotated[Form | None, Doc("A form that the person is asked to fill in.")] = None
    errors: Annotated[dict[str, str], Doc("What is wrong with a form, by its fields.")] = {}
    answers_later: Annotated[bool, Doc("Whether the bot answers by the API.")] = False


class WebhookInteraction(msgspec.Struct, frozen=True):
    """The data of one call of a webhook."""

    bot: User
    service: Service
    shown: InteractionObject
    user_full_name: str


def claim(tx: Tx, item: OutboxItem) -> WebhookInteraction | None:
    """Claim a delivery, which can no longer be taken back. None if there is nothing to do."""
    if not actions.outbox.claim(tx, [item]) or item.interaction_id is None:
        return None
    found = Interaction.find(tx, id=item.interaction_id)
    bot = None if found is None else storage.people.users.find(tx, found.bot_id)
    service = None if bot is None else storage.people.bots.find(tx, bot.id).service
    if (
        found is None
        or bot is None
        or service is None
        or not service.url
        or not actions.people.webhook_triggers.has_webhook(bot)
        or not interactions.fetch(tx, [found.id])
    ):
        storage.outbox.delete(tx, item)
        return None
    user = storage.people.users.find(tx, found.user_id)
    name = "" if user is None else user.full_name
    return WebhookInteraction(bot, service, interactions.for_bot(tx, found), name)


def finish(tx: Tx, item: OutboxItem, bot: User, given: BotAnswer | None, email_domain: str) -> None:
    """Store the answer of a webhook; None if it will answer by the API."""
    outgoing_webhooks.record_outcome(tx, bot.id, None)
    storage.outbox.delete(tx, item)
    if given is not None and item.interaction_id is not None:
        interactions.answer(tx, bot, item.interaction_id, given, email_domain)


def fail(tx: Tx, item: OutboxItem, bot: User, failure: WebhookFailure) -> bool:
    """Schedule another try, or end the interaction. Returns whether it is over."""
    outgoing_webhooks.record_outcome(tx, bot.id, failure)
    given_up = [item]
    if failure.may_retry:
        given_up = actions.outbox.record_results(tx, [], [item])
    if given_up and item.interaction_id is not None:
        storage.outbox.delete(tx, item)
        interactions.end_unanswered(tx, item.interaction_id)
    return bool(given_up)


class InteractionSender:
    transport: Transport = "interaction"
    job_name = "interactions"
    every_seconds = 0.5
    max_claimed = 400
    max_claimed_per_person = outgoing_webhooks.MAX_CLAIMED_PER_PERSON

    def __init__(self, services: Services, outbox: Outbox) -> None:
        self._config = services.config
        self._database = services.database
        self._delivery = services.delivery
        self._outbox = outbox
        self.timeout_seconds: float = TIMEOUT_SECONDS

    def lane_of(self, item: OutboxItem) -> int | None:
        return item.interaction_id

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        """The bots of a person share the slots of all their webhooks."""
        (item,) = items
        async with (SLOW_CALLS if item.is_slow else CALLS).slot(item.person):
            await self._send(item)
        return False

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("interactions.call_failed", bot_id=item.user_id, **described(error))

    async def _send(self, item: OutboxItem) -> None:
        org = await self._delivery.follower.finder.find(item.realm_id)
        if org is None:
            return
        db = self._database.of(item.realm_id)
        delivery = await db.write(claim, item)
        if delivery is None:
            return
        said = await self._call_webhook(item, delivery)
        failure = (
            await _finished(db, org, item, delivery.bot, said)
            if isinstance(said, InteractionAnswer)
            else said
        )
        if failure is None:
            self._outbox.sent[self.transport] += 1
        elif await db.write(fail, item, delivery.bot, failure):
            self._outbox.given_up[self.transport] += 1

    async def _call_webhook(
        self, item: OutboxItem, delivery: WebhookInteraction
    ) -> InteractionAnswer | WebhookFailure:
        body = InteractionCall(
            "interaction",
            delivery.shown,
            delivery.user_full_name,
            delivery.bot.email,
            delivery.service.token,
        )
        try:
            response = await safe_http.post(
                delivery.service.url,
                msgspec.json.encode(body),
                {"Content-Type": "application/json", "User-Agent": USER_AGENT},
                seconds=self.timeout_seconds,
                max_bytes=MAX_RESPONSE_BYTES,
                allowed=self._config.webhook_networks,
                person=item.person,
            )
        except AddressNotAllowed:
            return outgoing_webhooks.NOT_ALLOWED
        except Unreachable:
            return outgoing_webhooks.UNREACHABLE
        except RequestTimedOut:
            return outgoing_webhooks.TIMED_OUT
        except ResponseTooLarge:
            return outgoing_webhooks.TOO_LARGE
        text = response.body.decode(errors="replace")
        if not 200 <= response.status < 300:
            return outgoing_webhooks.bad_status(response.status, text)
        try:
            return msgspec.json.decode(text.strip() or "{}", type=InteractionAnswer)
        except (msgspec.DecodeError, RecursionError):
            return outgoing_webhooks.invalid_response("Invalid response format", text)


async def _finished(
    db: OrgDatabase,
    org: Organization,
    item: OutboxItem,
    bot: User,
    said: InteractionAnswer,
) -> WebhookFailure | None:
    try:
        given = None
        if not said.answers_later:
            draft: Draft | None = None
            if said.content.strip():
                author = Author(db, org, bot)
                draft = await actions.messages.draft.compose(author, said.content, CLIENT, True)
            given = BotAnswer(draft, said.only_you, said.form, said.errors)
        await db.write(finish, item, bot, given, org.email_domain)
    except ServiceUnavailable:
        raise
    except ClientError as refusal:
        return outgoing_webhooks.refused(refusal.msg)
    return None
