"""Writes digest mails, on the weekday that an organization chose, to users who were away."""

from tertulia import actions, domain, storage
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.config import Config
from tertulia.database import Database
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.digests import APART_SECONDS, INACTIVE_SECONDS, PERIOD_SECONDS
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.jobs.for_each import each
from tertulia.jobs.missed_messages import site_of


class Digests:
    def __init__(
        self, config: Config, database: Database, delivery: Delivery, vault: Vault
    ) -> None:
        self._config = config
        self._database = database
        self._delivery = delivery
        self._vault = vault

    async def run_once(self) -> None:
        wanted = await self._database.of(0).read(storage.housekeeping_queries.with_digests)
        await each(wanted, self._write)

    async def _write(self, realm_id: int) -> None:
        org = await self._delivery.follower.finder.find(realm_id)
        if org is None:
            return
        realm, now = org.realm, self._database.clock()
        is_day = domain.personal.digests.is_day(realm.setting("digest_weekday"), now)
        if not realm.setting("digest_emails_enabled") or not is_day or realm.deactivated:
            return
        db = self._database.of(realm.id)
        written = await db.read(storage.personal.digests.written_at)
        people = [
            user.id
            for user in org.users.values()
            if domain.personal.digests.wants(user)
            and now - written.get(user.id, 0.0) > APART_SECONDS
            and now - _last_active(org, user) > INACTIVE_SECONDS
        ]
        if not people:
            return
        since = now - PERIOD_SECONDS
        active = await db.in_thread.read(storage.personal.digests.active_topics, since)
        site = site_of(self._config, realm)
        for user_id in people:
            viewer = NarrowViewer(org.users[user_id], org.email_domain)
            unread = await db.in_thread.read(actions.messages.catch_up.summaries, viewer)
            await db.write(
                actions.personal.digests.write, self._vault, user_id, active, since, site, unread
            )


def _last_active(org: Organization, user: User) -> float:
    presence = org.presence.find(user.id)
    return user.joined_at if presence is None else max(user.joined_at, presence.idle_at)
