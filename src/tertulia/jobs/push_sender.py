"""Push notifications: notifies browsers and phones of messages, and removes notifications of
messages that were read.

Users take turns, and each user's notifications are sent one after the other, so an endpoint that
hangs delays only its owner. A failing endpoint is retried with backoff.
"""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from tertulia import actions, storage
from tertulia.actions.personal.web_push import PHONES, PushOutcome, Receivers
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import SECONDS_PER_DAY
from tertulia.domain.personal.web_push import SHOWN_DAYS
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.external.push import web_push
from tertulia.external.push.push_service import PushMessage
from tertulia.external.push.web_push import TOO_LARGE, PushRequest, PushResponse
from tertulia.external.safe_http import AddressNotAllowed, RequestFailed
from tertulia.fair_queue import FairQueue
from tertulia.jobs import push_payload
from tertulia.jobs.missed_messages import site_of
from tertulia.jobs.mobile_push import Phones
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.presence import present_until
from tertulia.jobs.runner import described
from tertulia.log import log

GONE = (404, 410)  # the subscription is gone
REFUSED = (400, 401, 403, 413)  # this notification, permanently
CHECKED_PER_RUN = 2000
MESSAGES_PER_REMOVAL = 200  # message ids, so that they fit into one notification

NOTICES = FairQueue("push", slots=50, slots_per_person=1, max_waiting=2)
REMOVALS = FairQueue("push_removals", slots=20, slots_per_person=1, max_waiting=10)


class PushSender:
    transport: Transport = "push"
    job_name = "push"
    every_seconds = 2.0
    max_claimed = 500
    max_claimed_per_person = 1

    def __init__(
        self,
        config: Config,
        database: Database,
        outbox: Outbox,
        delivery: Delivery,
        vault: Vault,
    ) -> None:
        self._config = config
        self._database = database
        self._outbox = outbox
        self._delivery = delivery
        self._vault = vault
        self._phones = Phones(config, database, vault)
        self.timeout_seconds: float = web_push.SECONDS
        self._checked_upto = (0, 0)  # the user and message up to which reads were checked

    def lane_of(self, item: OutboxItem) -> int | None:
        """One notification at a time for a user."""
        return item.user_id

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        (item,) = items
        org = await self._delivery.follower.finder.find(item.realm_id)
        if org is None:
            return False
        async with NOTICES.slot(item.person):
            await self._notify(org, item)
        return True

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("push.send_failed", user_id=item.user_id, **described(error))

    async def _notify(self, org: Organization, item: OutboxItem) -> None:
        db = self._database.of(item.realm_id)
        user_id, _ = item.subjects
        user = org.users.get(user_id)
        if user is not None and not user.prefers("enable_online_push_notifications"):
            here = await present_until(self._database, org, user.id)
            if here:
                await db.write(actions.personal.web_push.reschedule, item, here)
                return
        taken = await db.write(actions.personal.web_push.claim, item)
        if taken is None:
            return
        message, channel, receivers = taken
        site = site_of(self._config, org.realm)
        payload = push_payload.of_message(org, site, item, message, channel)
        now = self._database.clock()
        notified = actions.personal.web_push.notified_subscriptions(item)
        open_ones = [each for each in receivers.subscriptions if each.id not in notified]
        ready = [each for each in open_ones if each.retry_at <= now]
        phones_know = PHONES in notified or not self._config.pushes
        has_phones = bool(receivers.devices or receivers.tokens) and not phones_know
        phones, responses = await asyncio.gather(
            self._phones.push(org, user_id, receivers, PushMessage(payload))
            if has_phones
            else _nothing(),
            asyncio.gather(*(self._push(org, PushRequest(each, payload)) for each in ready)),
        )
        outcomes = list(zip(ready, responses, strict=True))
        outcome = PushOutcome(
            delivered=[each for each, response in outcomes if 200 <= response.status < 300],
            gone=[each for each, response in outcomes if response.status in GONE],
            refused=[each for each, response in outcomes if response.status in REFUSED],
            failed=[
                (each, response.retry_seconds)
                for each, response in outcomes
                if _is_temporary(response)
            ],
            waiting=[each for each in open_ones if each.retry_at > now],
            phones=phones,
            phones_retry_at=self._phones.rests_until,
        )
        await self._record(item, outcome)

    async def _record(self, item: OutboxItem, outcome: PushOutcome) -> None:
        db = self._database.of(item.realm_id)
        is_given_up = await db.write(actions.personal.web_push.record_outcome, item, outcome)
        self._outbox.sent["push"] += len(outcome.delivered) + bool(outcome.phones)
        for each in [*outcome.refused, *(failed for failed, _ in outcome.failed)]:
            if each.failures == 0:
                log.warning("push.endpoint_failed", subscription_id=each.id)
        if is_given_up:
            self._outbox.given_up["push"] += 1
            log.error("push.given_up", user_id=item.user_id, message_id=item.message_id)

    async def _push(self, org: Organization, request: PushRequest) -> PushResponse:
        """Send a notification; if it is too large, send it again in a shorter form."""
        response = await self._post(org, request)
        if response.status != TOO_LARGE or request.payload["type"] != "message":
            return response
        return await self._post(
            org, replace(request, payload=push_payload.shortened(request.payload))
        )

    async def _post(self, org: Organization, request: PushRequest) -> PushResponse:
        db = self._database.of(org.realm.id)
        known = await db.read(storage.personal.web_push.key)
        if known is None:
            return PushResponse(GONE[0])  # without a key there are no subscriptions
        try:
            return await web_push.push(
                request,
                self._vault.unseal(known[1]),
                self._subject(org),
                self._database.clock(),
                self._config.webhook_networks,
                seconds=self.timeout_seconds,
            )
        except AddressNotAllowed:
            return PushResponse(GONE[0])
        except RequestFailed:
            return PushResponse()

    def _subject(self, org: Organization) -> str:
        """Whom a push service writes to about our requests: it must be https or mailto."""
        site = site_of(self._config, org.realm)
        return site if site.startswith("https:") else f"mailto:{self._config.sender}"

    # --- notifications of messages that were read ---

    async def retract_read(self) -> None:
        """Remove notifications of messages that the user has read on another device."""
        shown = await self._database.of(0).read(
            storage.personal.web_push.shown, self._checked_upto, CHECKED_PER_RUN
        )
        self._checked_upto = shown[-1][1:] if len(shown) == CHECKED_PER_RUN else (0, 0)
        by_person: dict[tuple[int, int], list[int]] = {}
        for realm_id, user_id, message_id in shown:
            by_person.setdefault((realm_id, user_id), []).append(message_id)
        await asyncio.gather(*(self._retract_for_user(*each) for each in by_person.items()))
        await self._database.of(0).write(
            storage.personal.web_push.delete_shown_before,
            self._database.clock() - SHOWN_DAYS * SECONDS_PER_DAY,
        )

    async def _retract_for_user(self, who: tuple[int, int], message_ids: list[int]) -> None:
        """Ask a user's devices once; a removal that fails is not worth a retry."""
        realm_id, user_id = who
        async with REMOVALS.slot(user_id):
            org = await self._delivery.follower.finder.find(realm_id)
            if org is None:
                return
            db = self._database.of(realm_id)
            unread = await db.read(storage.messages.unread.among, user_id, message_ids)
            if len(unread) == len(message_ids):
                return
            read, receivers = await db.write(
                actions.personal.web_push.retract_read, user_id, message_ids
            )
            for start in range(0, len(read), MESSAGES_PER_REMOVAL):
                await self._push_removals(
                    org, user_id, receivers, read[start : start + MESSAGES_PER_REMOVAL]
                )

    async def _push_removals(
        self, org: Organization, user_id: int, receivers: Receivers, read: list[int]
    ) -> None:
        site = site_of(self._config, org.realm)
        payload = {"type": "remove", "realm_url": site, "user_id": user_id, "message_ids": read}
        now = self._database.clock()
        await asyncio.gather(
            self._phones.push(org, user_id, receivers, PushMessage(payload, is_urgent=False)),
            *(
                self._push(org, PushRequest(each, payload, urgency="low"))
                for each in receivers.subscriptions
                if each.retry_at <= now
            ),
        )


async def _nothing() -> None:
    return None


def _is_temporary(response: PushResponse) -> bool:
    """Whether a later attempt may succeed."""
    status = response.status
    return not 200 <= status < 300 and status not in GONE and status not in REFUSED
