"""Finding what people may have missed, and telling them when they stay away.

The log is read behind everybody, so that sending a message costs the same, whoever is away.
"""

from tertulia import actions, events, storage
from tertulia.config import Config
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.missed import PRESENT_SECONDS
from tertulia.events.delivery import Delivery
from tertulia.events.directory import Organization
from tertulia.events.types.messages.message import MessageSent
from tertulia.jobs.each import each
from tertulia.storage.database import Database
from tertulia.storage.database.tx import Tx

AT_ONCE = 200  # events, and people


class Lookout:
    """Looks out for those who are away."""

    def __init__(
        self, config: Config, database: Database, delivery: Delivery, vault: Vault
    ) -> None:
        self._config = config
        self._database = database
        self._delivery = delivery
        self._vault = vault
        self._known: dict[int, int] = {}  # how far each log was read

    async def look(self) -> None:
        """Read on in every log where something happened."""
        await each(list(self._delivery.organizations.values()), self._read_on)

    async def tell(self) -> None:
        """Write to everybody whose time has come and who is not here."""
        due = await self._database.read_in(0, storage.personal.missed.due, AT_ONCE)
        await each(due, self._tell)

    async def _read_on(self, org: Organization) -> None:
        realm_id = org.realm.id
        while self._known.get(realm_id) != org.place.seq:
            db, head = self._database.of(realm_id), org.place.seq
            if not self._config.sends_mail and not await db.read(
                storage.personal.web_push.user_ids
            ):
                self._known[realm_id] = head  # nobody could be told
                return
            position = await db.read(storage.personal.missed.position)
            if position is None or position > head:  # what was before us is nobody's news
                await db.write(storage.personal.missed.set_position, head)
                self._known[realm_id] = head
                return
            seen, upto = await db.read(_messages_after, position)
            if upto > position:
                people = list(org.users.values())
                await db.write(_note, seen, people, upto, self._config.sends_mail)
            self._known[realm_id] = max(upto, position)
            if upto == position:
                return

    async def _tell(self, who: tuple[int, int]) -> None:
        realm_id, user_id = who
        org = self._delivery.organizations.get(realm_id)
        if org is None:
            return
        db = self._database.of(realm_id)
        presence = org.presence.find(user_id)
        is_here = (
            presence is not None
            and presence.active_at is not None
            and self._database.clock() - presence.active_at < PRESENT_SECONDS
        )
        if is_here:
            await db.write(actions.personal.missed.put_off, user_id)
        else:
            site = site_of(self._config, org.realm)
            await db.write(actions.personal.missed.tell, self._vault, user_id, site)


def site_of(config: Config, realm: Realm) -> str:
    """The address of an organization, for those who do not ask us just now."""
    base = config.external_url or f"http://{config.host}:{config.port}"
    scheme, _, host = base.rstrip("/").partition("://")
    return f"{scheme}://{realm.subdomain}.{host}" if realm.subdomain else f"{scheme}://{host}"


def _note(tx: Tx, seen: list[MessageSent], people: list[User], upto: int, sends_mail: bool) -> None:
    actions.personal.missed.note(tx, seen, people, upto, sends_mail=sends_mail)


def _messages_after(tx: Tx, position: int) -> tuple[list[MessageSent], int]:
    found = events.log.read(tx, position, AT_ONCE)
    seen = [each.event for each in found if isinstance(each.event, MessageSent)]
    return seen, found[-1].seq if found else position
