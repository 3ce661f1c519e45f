"""Push notifications: notifies browsers and phones of messages, and removes notifications of
messages that were read.

Users take turns, and each user's notifications are sent one after the other, so an endpoint that
hangs delays only its owner. A failing endpoint is retried with backoff.
"""

import asyncio

from msgspec.structs import replace

from tertulia import actions, storage
from tertulia.actions.personal.web_push import PHONES, PushOutcome, Receivers
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import SECONDS_PER_DAY
from tertulia.domain.personal.web_push import SHOWN_DAYS, PushNotice
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.external.push import web_push
from tertulia.external.push.push_service import PushMessage
from tertulia.external.push.web_push import TOO_LARGE, PushAnswer, PushOrder
from tertulia.external.safe_http import CallFailed, NotAllowed
from tertulia.fair_queue import FairQueue
from tertulia.jobs import push_payload, runner
from tertulia.jobs.missed_messages import site_of
from tertulia.jobs.mobile_push import Phones
from tertulia.jobs.presence import here_until
from tertulia.jobs.runner import described
from tertulia.log import log

MAX_CLAIMED = 500  # users whose notifications run or wait for a slot
GONE = (404, 410)  # the subscription is gone
REFUSED = (400, 401, 403, 413)  # this notification, permanently
SHOWN_AT_ONCE = 2000
TAKEN_BACK_AT_ONCE = 200  # message ids, so that they fit into one notification

NOTICES = FairQueue("push", slots=50, slots_per_person=1, max_waiting=2)
REMOVALS = FairQueue("push_removals", slots=20, slots_per_person=1, max_waiting=10)


class Pushing:
    def __init__(
        self, config: Config, database: Database, delivery: Delivery, vault: Vault
    ) -> None:
        self._config = config
        self._database = database
        self._delivery = delivery
        self._vault = vault
        self._phones = Phones(config, database, vault)
        self.patience_seconds: float = web_push.SECONDS
        self.busy: dict[int, asyncio.Task[None]] = {}  # by user id
        self._checked_upto = (0, 0)  # the user and message up to which reads were checked
        self.sent = 0
        self.given_up = 0

    async def run_once(self) -> None:
        """Start sending what is due, as far as there are free slots. Does not wait for
        the result."""
        room = MAX_CLAIMED - len(self.busy)
        if room <= 0:
            return
        due = await self._database.read_in(
            0, storage.personal.web_push.people_due, MAX_CLAIMED + len(self.busy)
        )
        for realm_id, user_id in [each for each in due if each[1] not in self.busy][:room]:
            self.busy[user_id] = asyncio.create_task(self._serve(realm_id, user_id))

    async def stop(self) -> None:
        """Cancel running notifications; they stay in the database and are sent later."""
        await runner.end(self.busy.values())

    async def _serve(self, realm_id: int, user_id: int) -> None:
        """Send all due notifications of one user."""
        db = self._database.of(realm_id)
        try:
            org = await self._delivery.follower.finder.find(realm_id)
            while org is not None:
                async with NOTICES.slot(user_id):
                    notice = await db.read(storage.personal.web_push.next_of, user_id)
                    if notice is None:
                        break
                    await self._notify(org, notice)
        except ServiceUnavailable:
            pass  # the notification stays and is claimed again when the database is back
        except Exception as error:
            log.error("push.send_failed", user_id=user_id, **described(error))
        finally:
            self.busy.pop(user_id, None)

    async def _notify(self, org: Organization, notice: PushNotice) -> None:
        db = self._database.of(notice.realm_id)
        user = org.users.get(notice.user_id)
        if user is not None and not user.prefers("enable_online_push_notifications"):
            here = await here_until(self._database, org, user.id)
            if here:
                await db.write(actions.personal.web_push.put_off, notice, here)
                return
        taken = await db.write(actions.personal.web_push.take, notice)
        if taken is None:
            return
        message, channel, receivers = taken
        site = site_of(self._config, org.realm)
        payload = push_payload.of_message(org, site, notice, message, channel)
        now = self._database.clock()
        open_ones = [each for each in receivers.subscriptions if each.id not in notice.told]
        asked = [each for each in open_ones if each.retry_at <= now]
        phones_know = PHONES in notice.told or not self._config.pushes
        has_phones = bool(receivers.devices or receivers.tokens) and not phones_know
        phones, said_back = await asyncio.gather(
            self._phones.push(org, notice.user_id, receivers, PushMessage(payload))
            if has_phones
            else _nothing(),
            asyncio.gather(*(self._push(org, PushOrder(each, payload)) for each in asked)),
        )
        answers = list(zip(asked, said_back, strict=True))
        outcome = PushOutcome(
            message.sent_at,
            delivered=[each for each, answer in answers if 200 <= answer.status < 300],
            gone=[each for each, answer in answers if answer.status in GONE],
            refused=[each for each, answer in answers if answer.status in REFUSED],
            failed=[
                (each, payload.retry_seconds) for each, payload in answers if _is_trouble(payload)
            ],
            waiting=[each for each in open_ones if each.retry_at > now],
            phones=phones,
            phones_rest_until=self._phones.rests_until,
        )
        await self._note(org, notice, outcome)

    async def _note(self, org: Organization, notice: PushNotice, outcome: PushOutcome) -> None:
        db = self._database.of(org.realm.id)
        is_given_up = await db.write(actions.personal.web_push.done, notice, outcome)
        self.sent += len(outcome.delivered) + bool(outcome.phones)
        for each in [*outcome.refused, *(failed for failed, _ in outcome.failed)]:
            if each.failures == 0:
                log.warning("push.endpoint_failed", subscription_id=each.id)
        if is_given_up:
            self.given_up += 1
            log.error("push.given_up", user_id=notice.user_id, message_id=notice.message_id)

    async def _push(self, org: Organization, order: PushOrder) -> PushAnswer:
        """Send a notification; if it is too large, send it again in a shorter form."""
        answer = await self._post(org, order)
        if answer.status != TOO_LARGE or order.payload["type"] != "message":
            return answer
        return await self._post(org, replace(order, payload=push_payload.briefly(order.payload)))

    async def _post(self, org: Organization, order: PushOrder) -> PushAnswer:
        db = self._database.of(org.realm.id)
        known = await db.read(storage.personal.web_push.key)
        if known is None:
            return PushAnswer(GONE[0])  # without a key there are no subscriptions
        try:
            return await web_push.push(
                order,
                self._vault.unseal(known[1]),
                site_of(self._config, org.realm),
                self._database.clock(),
                self._config.webhook_networks,
                seconds=self.patience_seconds,
            )
        except NotAllowed:
            return PushAnswer(GONE[0])
        except CallFailed:
            return PushAnswer()

    # --- notifications of messages that were read ---

    async def take_back(self) -> None:
        """Remove notifications of messages that the user has read on another device."""
        shown = await self._database.read_in(
            0, storage.personal.web_push.shown, self._checked_upto, SHOWN_AT_ONCE
        )
        self._checked_upto = shown[-1][1:] if len(shown) == SHOWN_AT_ONCE else (0, 0)
        by_person: dict[tuple[int, int], list[int]] = {}
        for realm_id, user_id, message_id in shown:
            by_person.setdefault((realm_id, user_id), []).append(message_id)
        await asyncio.gather(*(self._take_back(*each) for each in by_person.items()))
        await self._database.write_in(
            0,
            storage.personal.web_push.forget_shown_before,
            self._database.clock() - SHOWN_DAYS * SECONDS_PER_DAY,
        )

    async def _take_back(self, who: tuple[int, int], message_ids: list[int]) -> None:
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
                actions.personal.web_push.take_read, user_id, message_ids
            )
            for start in range(0, len(read), TAKEN_BACK_AT_ONCE):
                await self._push_removals(
                    org, user_id, receivers, read[start : start + TAKEN_BACK_AT_ONCE]
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
                self._push(org, PushOrder(each, payload, urgency="low"))
                for each in receivers.subscriptions
                if each.retry_at <= now
            ),
        )


async def _nothing() -> None:
    return None


def _is_trouble(answer: PushAnswer) -> bool:
    """Whether a later attempt may succeed."""
    status = answer.status
    return not 200 <= status < 300 and status not in GONE and status not in REFUSED
