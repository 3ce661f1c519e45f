"""Finds messages that users may have missed, and mails or pushes them to users who stay away.

It reads the event log afterwards, so sending a message costs the same however many users are away.
"""

import asyncio

from tertulia import api, domain, events, storage
from tertulia.api.call import Services
from tertulia.database.tx import Tx
from tertulia.events.directory.organization import Organization
from tertulia.features.notifications.mails import (
    RECHECK_SECONDS,
    MailContext,
    postpone,
    write_mails,
)
from tertulia.features.notifications.missed_messages import (
    Candidate,
    due_users,
    position,
    realms_behind,
    record,
    start_all,
)
from tertulia.features.presence import present_until
from tertulia.jobs.runner import for_each

BATCH_SIZE = 200  # events per read, users per run


class MissedMessages:
    def __init__(self, services: Services) -> None:
        self._config = services.config
        self._database = services.database
        self._delivery = services.delivery
        self._vault = services.vault
        self._dirty_logs = services.delivery.follower.activity.reader()
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
            await self._database.of(0).write(start_all)
        behind = await self._database.of(0).read(realms_behind, dirty, self._config.sends_mail)
        await for_each(behind, self._read_log)

    async def send_due(self) -> None:
        """Send the mails that are due to users who are away."""
        due = await self._database.of(0).read(due_users, BATCH_SIZE)
        await for_each(due, self._write_mails)

    async def _read_log(self, realm_id: int) -> None:
        db = self._database.of(realm_id)
        while (found := await db.read(_unseen)) is not None:
            seen, upto = found
            org = await self._delivery.follower.finder.find(realm_id) if seen else None
            people = [] if org is None else list(org.users.values())
            await db.write(record, seen, people, upto, self._config.sends_mail)

    async def _write_mails(self, who: tuple[int, int]) -> None:
        realm_id, user_id = who
        org = await self._delivery.follower.finder.find(realm_id)
        if org is None:
            return
        db = self._database.of(realm_id)
        held_until = await self._held_until(org, user_id)
        if held_until:
            await db.write(postpone, user_id, held_until)
        else:
            site = api.call.site_of(self._config, org.realm)
            head = MailContext(site, org.shown, self._config.mail_in_address)
            await db.write(write_mails, self._vault, user_id, head)

    async def _held_until(self, org: Organization, user_id: int) -> float:
        """Until when mails to a user wait; 0 if they are sent now."""
        user, now = org.users.get(user_id), self._database.clock()
        quiet_until = 0.0 if user is None else domain.personal.quiet_hours.held_until(user, now)
        if quiet_until or not await present_until(self._database, org, user_id):
            return quiet_until
        return now + RECHECK_SECONDS


def read_part(tx: Tx, *, sends_mail: bool) -> bool:
    """Read some events of a log that is about to be deleted. Returns whether they were the last."""
    found = _unseen(tx) if realms_behind(tx, [tx.realm_id], sends_mail) else None
    if found is None:
        return True
    seen, upto = found
    record(tx, seen, storage.people.users.list_all(tx), upto, sends_mail)
    return upto == storage.log.head(tx)


def _unseen(tx: Tx) -> tuple[list[Candidate], int] | None:
    """The next messages to examine and the event up to which they reach; None if there are no more.

    The first run, and a run after the log was truncated, skips everything that is already in the
    log.
    """
    seen_to, head = position(tx), storage.log.head(tx)
    if seen_to == head:
        return None
    if seen_to is None or seen_to > head:
        return [], head
    found = events.log.read(tx, seen_to, BATCH_SIZE)
    seen = [news for each in found if (news := Candidate.of(each.event)) is not None]
    return seen, found[-1].seq if found else head
