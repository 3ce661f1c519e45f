"""Registers phones with the push service, which may be slow or unavailable."""

from collections.abc import Sequence

from tertulia import actions
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.external.push import push_service
from tertulia.external.push.push_service import NotRegistered
from tertulia.fair_queue import FairQueue
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log

MAX_CLAIMED_PER_PERSON = 4

REGISTRATIONS = FairQueue(
    "push_registrations", slots=20, slots_per_person=2, max_waiting=MAX_CLAIMED_PER_PERSON
)


class DeviceSender:
    transport: Transport = "device"
    job_name = "push devices"
    every_seconds = 2.0
    max_claimed = 200
    max_claimed_per_person = MAX_CLAIMED_PER_PERSON

    def __init__(
        self, config: Config, database: Database, outbox: Outbox, delivery: Delivery
    ) -> None:
        self._config = config
        self._database = database
        self._outbox = outbox
        self._delivery = delivery

    def lane_of(self, item: OutboxItem) -> int | None:
        return item.device_id

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        (item,) = items
        async with REGISTRATIONS.slot(item.person):
            await self._register(item)
        return False

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("push.device_failed", device_id=item.device_id, **described(error))

    async def _register(self, item: OutboxItem) -> None:
        org = await self._delivery.follower.finder.find(item.realm_id)
        if org is None:
            return
        db = self._database.of(item.realm_id)
        device = await db.write(actions.personal.devices.claim, item)
        if device is None:
            return
        try:
            await push_service.register(self._config, org.realm.uuid, device)
        except NotRegistered as refusal:
            await db.write(actions.personal.devices.refused, item, str(refusal))
            self._outbox.given_up["device"] += 1
        except ServiceUnavailable:
            raise
        except ClientError as trouble:
            log.warning("push.registration_failed", device_id=device.id, code=trouble.code)
            given_up = await db.write(actions.personal.devices.reschedule, item)
            self._outbox.given_up["device"] += given_up
        else:
            await db.write(actions.personal.devices.registered, item)
            self._outbox.sent["device"] += 1
