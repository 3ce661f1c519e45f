"""Updates accounts from the LDAP directory that they belong to."""

import time
from typing import NamedTuple

from tertulia import actions, storage
from tertulia.config.login_providers import LdapDirectory
from tertulia.database import Database
from tertulia.domain.organization.realm import Realm
from tertulia.errors import BadRequest
from tertulia.external.sso import claims
from tertulia.external.sso.provider_types import LdapError
from tertulia.fair_queue import SERVER
from tertulia.jobs.runner import for_each
from tertulia.log import log


class LdapSync:
    """Synchronizes with every directory, at the interval in its settings."""

    def __init__(self, database: Database, directories: tuple[LdapDirectory, ...]) -> None:
        self._database = database
        self._directories = [each for each in directories if each.sync_minutes]
        self._due = {
            each.key: time.monotonic() + each.sync_minutes * 60 for each in self._directories
        }

    async def run_once(self) -> None:
        for directory in self._directories:
            if time.monotonic() >= self._due[directory.key]:
                self._due[directory.key] = time.monotonic() + directory.sync_minutes * 60
                await self._sync_organizations(directory)

    async def _sync_organizations(self, directory: LdapDirectory) -> None:
        outcomes: list[SyncOutcome] = []

        async def sync_one(realm: Realm) -> None:
            if directory.is_for(realm.subdomain) and realm.admits(directory.method):
                outcomes.append(await sync(self._database, realm, directory))

        await for_each(
            await self._database.of(0).query(storage.organization.realms.list_all), sync_one
        )
        await self._database.of(0).write(
            actions.server_status.record_sync,
            directory.key,
            sum(outcome.accounts for outcome in outcomes),
            sum(outcome.changed for outcome in outcomes),
            next((outcome.reason for outcome in outcomes if outcome.reason), ""),
        )


class SyncOutcome(NamedTuple):
    accounts: int  # of the organization that belong to the directory
    changed: int
    reason: str = ""  # why nothing was done


async def sync(database: Database, realm: Realm, directory: LdapDirectory) -> SyncOutcome:
    """Update an organization's accounts from a directory.

    If the answer looks like a mistake of the directory or of the settings, nothing changes.
    """
    from tertulia.external.sso import ldap

    here = database.of(realm.id)
    known = await here.read(storage.people.identities.of_provider, directory.key)
    try:
        found = await ldap.run_in_slot(
            SERVER, claims.profile_updates, directory, realm.subdomain, known
        )
        await here.read(
            actions.people.external_identities.check, found, directory.deactivate_missing
        )
    except (LdapError, BadRequest) as trouble:
        log.error("ldap.sync_failed", directory=directory.key, reason=str(trouble))
        return SyncOutcome(len(known), 0, str(trouble))
    changed = 0
    for person in found:
        did = await here.write(
            actions.people.external_identities.sync, person, directory.deactivate_missing
        )
        if did:
            changed += 1
            log.info("ldap.account_synced", user_id=person.identity.user_id, change=did)
    return SyncOutcome(len(known), changed)
