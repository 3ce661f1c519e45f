"""Finds messages that users may have missed, and mails or pushes them to users who stay away.

It reads the event log afterwards, so sending a message costs the same however many users are away.
"""

import asyncio

from tertulia import actions, events, storage
from tertulia.actions.personal.missed_messages import Candidate, MailContext
from tertulia.config import Config
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.events.delivery.dispatch import Delivery
from tertulia.jobs.for_each import each
from tertulia.jobs.presence import present_until

BATCH_SIZE = 200  # events per read, users per run


class MissedMessages:
    def __init__(
        self, config: Config, database: Database, delivery: Delivery, vault: Vault
    ) -> None:
        self._config = config
        self._database = database
        self._delivery = delivery
        self._vault = vault
        self._dirty_logs = delivery.follower.activity.reader()
        self._turn = asyncio.Lock()

    async def run_once(self) -> None:
        """Read new events of every organization that has some. One run at a time."""
        async with self._turn:
            await self._check_logs()

    async def _check_logs(self) -> None:
        dirty = self._dirty_logs.take_all()
        if dirty == []:
            return
        if dirty is None and self._config.sends_mail:
            await self._database.of(0).write(storage.personal.missed_messages.start_all)
        behind = await self._database.of(0).read(
            storage.personal.missed_messages.realms_behind, dirty, self._config.sends_mail
        )
        await each(behind, self._read_log)

    async def send_due(self) -> None:
        """Send the mails that are due to users who are away."""
        due = await self._database.of(0).read(storage.personal.missed_messages.due, BATCH_SIZE)
        await each(due, self._write_mails)

    async def _read_log(self, realm_id: int) -> None:
        db = self._database.of(realm_id)
        while (found := await db.read(_unseen)) is not None:
            seen, upto = found
            org = await self._delivery.follower.finder.find(realm_id) if seen else None
            people = [] if org is None else list(org.users.values())
            await db.write(_record, seen, people, upto, self._config.sends_mail)

    async def _write_mails(self, who: tuple[int, int]) -> None:
        realm_id, user_id = who
        org = await self._delivery.follower.finder.find(realm_id)
        if org is None:
            return
        db = self._database.of(realm_id)
        if await present_until(self._database, org, user_id):
            await db.write(actions.personal.missed_messages.postpone, user_id)
        else:
            site = site_of(self._config, org.realm)
            head = MailContext(site, org.shown, self._config.mail_in_address)
            await db.write(actions.personal.missed_messages.write_mails, self._vault, user_id, head)


def site_of(config: Config, realm: Realm) -> str:
    """The address of an organization, for texts that are not the answer to a request."""
    base = config.external_url or f"http://{config.local_host}:{config.port}"
    scheme, _, host = base.rstrip("/").partition("://")
    return f"{scheme}://{realm.subdomain}.{host}" if realm.subdomain else f"{scheme}://{host}"


def _record(tx: Tx, seen: list[Candidate], people: list[User], upto: int, sends_mail: bool) -> None:
    actions.personal.missed_messages.record(tx, seen, people, upto, sends_mail=sends_mail)


def _unseen(tx: Tx) -> tuple[list[Candidate], int] | None:
    """The next messages to examine and the event up to which they reach; None if there are no more.

    The first run, and a run after the log was truncated, skips everything that is already in the
    log.
    """
    position, head = storage.personal.missed_messages.position(tx), storage.log.head(tx)
    if position == head:
        return None
    if position is None or position > head:
        return [], head
    found = events.log.read(tx, position, BATCH_SIZE)
    seen = [news for each in found if (news := Candidate.of(each.event)) is not None]
    return seen, found[-1].seq if found else head
