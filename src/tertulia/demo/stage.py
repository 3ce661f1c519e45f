"""The stage: lets the demo's past happen, in order, in one transaction.

Each step is an ordinary action at its own time, so the log, the unread counts and the history
come out as if these weeks had been lived through.
"""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial

from pyroaring import BitMap64

from tertulia import actions, domain, markdown, opening, storage, zuliprc
from tertulia.config import Config, ConfigError
from tertulia.demo import script
from tertulia.demo.people import ARRIVALS, FOUNDED, ORGANIZATION, PEOPLE, ROOMS, Character, DemoRoom
from tertulia.demo.script import Line
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.newcomers import NewUser
from tertulia.domain.people.user import User
from tertulia.storage.database import Database
from tertulia.storage.database.tx import Tx

LAST_READ = 2  # days ago: what came since is unread for those who did not write it


@dataclass(frozen=True, slots=True)
class Cast:
    """The people who can log in, and the password they share."""

    people: list[User]
    password: str


def fill(config: Config, database: Database, vault: Vault) -> Cast:
    """Play the demo into data where nobody lives yet, and leave a zuliprc for everybody."""
    if database.read_now(0, storage.checking.has_people):
        raise ConfigError(
            f"--demo is for new data, and in {config.data} there are people already. Leave it out,"
            " or choose another folder with --data."
        )
    now = database.clock()
    past = Database(database.dialect, lambda: moment(now, FOUNDED))
    name = ORGANIZATION if config.organization == Config().organization else config.organization
    realm, _ = opening.first_organization(past, name)
    password = secrets.token_hex(5)
    play = Play(vault, domain.people.passwords.hashed(password), config.email_domain, now)
    database.write_now(realm.id, play.perform)

    site = zuliprc.site(config, realm, is_only_one=True)
    for key, user in play.users.items():
        path = config.data / f"zuliprc-{key}"
        zuliprc.write(path, user.email, play.keys[key], site)
    return Cast([user for user in play.users.values() if not user.is_bot], password)


def moment(now: float, days_ago: int, hour: int = 8, minute: int = 0) -> float:
    """A time of day, as the clock on this machine's wall showed it so many days ago."""
    day = datetime.fromtimestamp(now).date() - timedelta(days=days_ago)
    return datetime.combine(day, time(hour, minute)).timestamp()


Step = Callable[[Tx], None]


class Play:
    def __init__(self, vault: Vault, password_hash: str, email_domain: str, now: float) -> None:
        self.users: dict[str, User] = {}
        self.keys: dict[str, str] = {}
        self._vault = vault
        self._password_hash = password_hash
        self._email_domain = email_domain
        self._now = now

    def perform(self, tx: Tx) -> None:
        for at, step in sorted(self._steps(), key=lambda timed: timed[0]):
            step(tx.at(at))

    def _steps(self) -> Iterator[tuple[float, Step]]:
        """Everything that happens, and when; what happens at the same time, in this order."""
        for person in PEOPLE:
            yield moment(self._now, person.since), partial(self._add, person=person)
        for room in ROOMS:
            yield moment(self._now, FOUNDED), partial(self._open, room=room)
        for arrival in ARRIVALS:
            step = partial(self._join, room=arrival.room, who=[arrival.person])
            yield moment(self._now, arrival.days_ago), step
        for line in script.read():
            at = moment(self._now, line.days_ago, line.hour, line.minute)
            yield at, partial(self._say, line=line)
        yield moment(self._now, LAST_READ, hour=0), self._read_everything

    def _add(self, tx: Tx, person: Character) -> None:
        owner = None if person.owner is None else self.users[person.owner].email
        new = NewUser(
            email=person.email,
            full_name=person.full_name,
            role=person.role,
            password_hash=None if person.bot_type else self._password_hash,
            bot_type=person.bot_type,
            bot_owner_email=owner,
        )
        self.users[person.key], self.keys[person.key] = actions.people.joining.add(
            tx, self._vault, new
        )

    def _open(self, tx: Tx, room: DemoRoom) -> None:
        description = markdown.render_description(room.channel.description)
        creator = self.users[room.creator]
        actions.channels.create(tx, creator, room.channel, description, web_public_allowed=False)
        self._join(tx, room.channel.name, list(room.members))

    def _join(self, tx: Tx, room: str, who: list[str]) -> None:
        channel = storage.channels.find_by_name(tx, room)
        assert channel is not None
        actions.channels.subscriptions.join(tx, channel, [self.users[key] for key in who])

    def _say(self, tx: Tx, line: Line) -> None:
        sender, draft = self.users[line.who], _draft(self.users[line.who], line.words)
        if line.people:
            others = [self.users[key].id for key in line.people]
            actions.messages.sending.to_people(tx, sender, others, draft, self._email_domain)
        else:
            actions.messages.sending.to_channel(tx, sender, line.channel, line.topic, draft)

    def _read_everything(self, tx: Tx) -> None:
        for user in self.users.values():
            storage.messages.unread.store(tx, user.id, BitMap64(), storage.messages.newest_id(tx))


def _draft(sender: User, words: str) -> Draft:
    content = domain.messages.message.checked_content(words)
    client = "ZulipPython" if sender.is_bot else "website"
    return Draft(
        content=content,
        rendered=markdown.render(content).html,
        render_version=markdown.VERSION,
        client=client,
        read_by_sender=domain.messages.message.is_read_by_sender(None, client),
    )
