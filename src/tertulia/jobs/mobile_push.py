"""Notifies phones through the push service: all phones of a user in one request."""

from tertulia import actions, domain
from tertulia.actions.personal.web_push import Receivers
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.outbox import POLICIES
from tertulia.domain.people.keys import Vault
from tertulia.domain.personal.devices import Device
from tertulia.errors.push import (
    PushServiceBroken,
    PushServiceBusy,
    PushServiceRejected,
    PushServiceUnavailable,
)
from tertulia.events.directory.organization import Organization
from tertulia.external.push import push_service
from tertulia.external.push.push_service import PushMessage
from tertulia.log import log

# The fields that older phones receive where the organization requires encryption.
UNSEALED = "message_id", "type", "realm_url", "user_id", "time", "message_ids"


class Phones:
    def __init__(self, config: Config, database: Database, vault: Vault) -> None:
        self._config = config
        self._database = database
        self._vault = vault
        self.rests_until = 0.0  # the service asked to wait until then

    async def push(
        self, org: Organization, user_id: int, receivers: Receivers, message: PushMessage
    ) -> bool:
        """Returns whether the service accepted the notification."""
        if not self._config.pushes or not (receivers.devices or receivers.tokens):
            return False
        if self._database.clock() < self.rests_until:
            return False
        try:
            if receivers.devices:
                await self._push_to_devices(org, receivers.devices, message)
            if receivers.tokens:
                await push_service.notify_tokens(
                    self._config,
                    org.realm.uuid,
                    domain.personal.devices.person_uuid(org.realm.uuid, user_id),
                    receivers.tokens,
                    _for_older_kind(org, message),
                )
        except PushServiceBusy as busy:
            rest = max(busy.values["retry_seconds"], POLICIES["push"].first_pause_seconds)
            self.rests_until = self._database.clock() + rest
            log.warning("push.service_busy", retry_s=rest)
            return False
        except (PushServiceUnavailable, PushServiceBroken, PushServiceRejected) as trouble:
            log.warning("push.service_failed", code=trouble.code)
            return False
        return True

    async def _push_to_devices(
        self, org: Organization, devices: list[Device], message: PushMessage
    ) -> None:
        phones = [(each, domain.personal.devices.opened(self._vault, each)) for each in devices]
        gone = await push_service.notify(self._config, org.realm.uuid, phones, message)
        if gone:
            db = self._database.of(org.realm.id)
            await db.write(actions.personal.devices.delete_tokens, gone)


def _for_older_kind(org: Organization, message: PushMessage) -> PushMessage:
    if not org.realm.setting("require_e2ee_push_notifications"):
        return message
    unsealed = {name: value for name, value in message.payload.items() if name in UNSEALED}
    return PushMessage(unsealed, message.is_urgent)
