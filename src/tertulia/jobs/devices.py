"""Registers phones with the push service, which may be slow or unavailable."""

import asyncio

from tertulia import actions, storage
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.personal.devices import Device
from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.delivery.dispatch import Delivery
from tertulia.external.push import push_service
from tertulia.external.push.push_service import NotRegistered
from tertulia.fair_queue import FairQueue
from tertulia.jobs.runner import described
from tertulia.log import log

MAX_CLAIMED = 200  # devices taken from the database in one round
MAX_CLAIMED_PER_PERSON = 4

REGISTRATIONS = FairQueue(
    "push_registrations", slots=20, slots_per_person=2, max_waiting=MAX_CLAIMED_PER_PERSON
)


class DeviceRegistrations:
    def __init__(self, config: Config, database: Database, delivery: Delivery) -> None:
        self._config = config
        self._database = database
        self._delivery = delivery

    async def run_once(self) -> None:
        due = await self._database.read_in(
            0, storage.personal.devices.due, MAX_CLAIMED, MAX_CLAIMED_PER_PERSON
        )
        await asyncio.gather(*(self._safely(device) for device in due))

    async def _safely(self, device: Device) -> None:
        try:
            async with REGISTRATIONS.slot(device.user_id):
                await self._register(device)
        except ServiceUnavailable:
            pass  # the row stays and is claimed again when the database is back
        except Exception as error:
            log.error("push.device_failed", device_id=device.id, **described(error))

    async def _register(self, device: Device) -> None:
        org = await self._delivery.follower.finder.find(device.realm_id)
        if org is None:
            return
        db = self._database.of(device.realm_id)
        taken = await db.write(actions.personal.devices.take, device)
        if taken is None:
            return
        try:
            await push_service.register(self._config, org.realm.uuid, taken)
        except NotRegistered as refusal:
            await db.write(actions.personal.devices.refused, taken, str(refusal))
        except ServiceUnavailable:
            raise
        except ClientError as trouble:
            log.warning("push.registration_failed", device_id=device.id, code=trouble.code)
            await db.write(actions.personal.devices.put_off, taken)
        else:
            await db.write(actions.personal.devices.registered, taken)
