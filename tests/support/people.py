"""The people of a test and their organization."""

import base64
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import msgspec
from tests.support.client import Reply
from tests.support.event_queue import EventQueue
from tests.support.server import Server

from tertulia import actions, domain, events, storage
from tertulia.api.events import MAX_IDLE_SECONDS
from tertulia.cli.roles import ROLES
from tertulia.cli.users import BOTS
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel
from tertulia.domain.messages.message import Draft
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, User
from tertulia.events.audience import NoClients, Subscribers
from tertulia.events.types.messages.message import MessageSent
from tertulia.events.types.organization.settings import RealmChanged

P = ParamSpec("P")
T = TypeVar("T")

DOMAIN = "example.com"

_subdomains = (f"t{number}" for number in itertools.count(1))


@dataclass(frozen=True)
class Message:
    """A sent message, and the answer of the server."""

    id: int
    content: str
    answer: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Caller:
    """A caller with certain headers, perhaps anonymous."""

    server: Server
    headers: dict[str, str]

    def with_headers(self, **headers: str) -> Self:
        """The same caller with further headers: `with_headers(User_Agent="ZulipMobile")`."""
        added = {name.replace("_", "-"): value for name, value in headers.items()}
        return replace(self, headers={**self.headers, **added})

    def get(self, path: str, **params: Any) -> Reply:
        return self.request("GET", path, **params)

    def post(self, path: str, **params: Any) -> Reply:
        return self.request("POST", path, **params)

    def put(self, path: str, **params: Any) -> Reply:
        return self.request("PUT", path, **params)

    def patch(self, path: str, **params: Any) -> Reply:
        return self.request("PATCH", path, **params)

    def delete(self, path: str, **params: Any) -> Reply:
        return self.request("DELETE", path, **params)

    def request(self, method: str, path: str, /, **params: Any) -> Reply:
        return self.server.client.send(method, path, params, self.headers)

    def raw(self, method: str, target: str, body: bytes | None = None, **headers: str) -> Reply:
        """Send exactly this target and body, with the caller's headers and these."""
        caller = self.with_headers(**headers)
        return self.server.client.raw(method, target, caller.headers, body)


@dataclass(frozen=True, eq=False)
class Person(Caller):
    chat: "Chat"
    id: int
    name: str
    email: str
    key: str

    @property
    def api_email(self) -> str:
        """The address that others see."""
        return self.record.api_email("tertulia.invalid")

    @property
    def record(self) -> User:
        """The account as it is stored now."""
        found = self.chat.read(storage.people.users.find, self.id)
        assert found is not None
        return found

    def tries_to_say(self, content: str, to: "str | Sequence[Person]", **params: Any) -> Reply:
        """Send to "channel > topic", or to people."""
        if isinstance(to, str):
            channel, _, topic = to.partition(" > ")
            params = {"type": "channel", "to": channel, "topic": topic, **params}
        else:
            params = {"type": "direct", "to": [person.id for person in to], **params}
        return self.post("/messages", content=content, **params)

    def says(self, content: str, to: "str | Sequence[Person]", **params: Any) -> Message:
        response = self.tries_to_say(content, to, **params).succeeds()
        return Message(response["id"], content, response)

    def sees(self, message: Message | int) -> dict[str, Any]:
        """A message as this user sees it, with flags."""
        number = message if isinstance(message, int) else message.id
        shown: dict[str, Any] = self.get(f"/messages/{number}").succeeds()["message"]
        return shown

    def joins(self, *names: str, **params: Any) -> dict[str, Any]:
        wanted = [{"name": name} for name in names]
        return self.post("/users/me/subscriptions", subscriptions=wanted, **params).succeeds()

    def leaves(self, *names: str, **params: Any) -> dict[str, Any]:
        return self.delete("/users/me/subscriptions", subscriptions=names, **params).succeeds()

    def registers(self, **options: Any) -> dict[str, Any]:
        return self.post("/register", **options).succeeds()

    def listens_for(self, *event_types: str, **options: Any) -> EventQueue:
        """Register a queue for these event types, or for all. It lives for a week of the clock."""
        given = {
            "event_types": list(event_types) or None,
            "fetch_event_types": [],
            "idle_queue_timeout": MAX_IDLE_SECONDS,
        }
        return EventQueue(self, self.registers(**(given | options)))


@dataclass
class Chat:
    """One organization on a server that many tests share."""

    server: Server
    realm: Realm
    host: str

    @classmethod
    def found(cls, server: Server, subdomain: str | None = None) -> "Chat":
        name = next(_subdomains) if subdomain is None else subdomain
        realm = server.write(0, actions.organization.creation.create, f"Test {name}", name)
        return cls(server, realm, f"{name}.localhost" if name else "localhost")

    # --- people ---

    def person(self, name: str, **about: Any) -> Person:
        """Create a user: `role`, `channels`, `password`, `bot`, `owner`, `email`, `settings`."""
        (person,) = self.people(name, **about)
        return person

    def people(
        self,
        *names: str,
        role: str = "member",
        channels: Sequence[str] = (),
        password: str | None = None,
        bot: str | None = None,
        owner: Person | None = None,
        email: str | None = None,
        settings: dict[str, Any] | None = None,
    ) -> list[Person]:
        newcomers = [
            NewUser(
                email=email or f"{name}@{DOMAIN}",
                full_name=name.capitalize(),
                role=ROLES[role],
                password_hash=None
                if password is None
                else domain.people.passwords.hashed(password),
                bot_type=None if bot is None else BOTS[bot],
                bot_owner_email=None if owner is None else owner.email,
            )
            for name in names
        ]
        added = self.write(
            _add_people, self.server.vault, newcomers, list(channels), settings or {}
        )
        return [self.person_with_key(user, key) for user, key in added]

    @cached_property
    def stranger(self) -> Caller:
        """An anonymous caller."""
        return Caller(self.server, {"Host": self.host})

    def person_with_key(self, user: User, key: str) -> Person:
        headers = {"Host": self.host, "Authorization": basic(user.email, key)}
        return Person(self.server, headers, self, user.id, user.full_name, user.email, key)

    def fill(self, person: Person, to: str, count: int) -> list[int]:
        """Send many messages at once and return their ids."""
        return self.write(_fill, person.id, to, count)

    # --- things ---

    def channel(self, name: str) -> Channel:
        found = self.read(storage.channels.table.find_by_name, name)
        assert found is not None, f"there is no channel {name}"
        return found

    def group(self, name: str) -> int:
        """The id of a system group: `chat.group("moderators")`."""
        return self.read(storage.groups.system_ids)[f"role:{name}"]

    def set(self, setting: str, value: Any) -> None:
        """Change a setting of the organization."""
        self.write(
            actions.organization.settings.edit, None, {setting: value}, {setting: str(value)}
        )

    def permit(self, setting: str, group: str) -> None:
        """Give one of the organization's permissions to a system group, by its short name."""
        self.write(_permit, setting, self.group(group))

    def refuse_passwords(self) -> None:
        """As with other login methods."""
        self.write(_permit, "authentication_methods", {"Email": False})

    def close(self) -> None:
        """Deactivate the organization."""
        self.write(_close)

    def head(self) -> int:
        """The number of the last event in the log."""
        return self.read(storage.log.head)

    def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return self.server.write(self.realm.id, action, *args, **kwargs)

    def write_from_outside(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an action as the command line does, beside the running server."""
        elsewhere = BlockingDatabase.at(self.server.url, self.server.clock)
        return elsewhere.of(self.realm.id).write(action, *args, **kwargs)

    def read(self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return self.server.read(self.realm.id, query, *args, **kwargs)


def basic(email: str, key: str) -> str:
    return "Basic " + base64.b64encode(f"{email}:{key}".encode()).decode()


# --- setup in one transaction ---


def _add_people(
    tx: Tx, vault: Vault, newcomers: list[NewUser], names: list[str], settings: dict[str, Any]
) -> list[tuple[User, str]]:
    added = [actions.people.account_creation.add(tx, vault, new) for new in newcomers]
    if settings:
        tx.execute(
            "UPDATE account SET settings = :settings WHERE id IN :ids",
            settings=msgspec.json.encode(settings).decode(),
            ids=[user.id for user, _ in added],
        )
    for name in names:
        channel = storage.channels.table.find_by_name(tx, name)
        if channel is None:
            channel = actions.channels.creation.create_unchecked(
                tx, added[0][0], NewChannel(name), ""
            )
        actions.channels.subscriptions.join(tx, channel, [user for user, _ in added])
    return added


def _fill(tx: Tx, user_id: int, to: str, count: int) -> list[int]:
    """The first message is sent as usual. The others repeat what is written for it: its row and its
    event, without the checks."""
    sender = storage.people.users.find(tx, user_id)
    assert sender is not None
    name, _, topic = to.partition(" > ")
    drafts = [Draft(f"{number}", f"<p>{number}</p>", 0, "test", False) for number in range(count)]
    first = actions.messages.send.to_channel(tx, sender, name, topic, drafts[0])
    assert first.channel is not None
    expected = [first.message_id]
    for draft in drafts[1:]:
        expected.append(
            storage.messages.table.insert_in_channel(tx, sender.id, first.channel.id, topic, draft)
        )
        event = MessageSent(
            message_id=expected[-1],
            sender_id=sender.id,
            channel_id=first.channel.id,
            read_by_sender=draft.read_by_sender,
        )
        events.log.announce(tx, event, to=Subscribers(first.channel.id))
    return expected


def _close(tx: Tx) -> None:
    tx.execute("UPDATE realm SET deactivated = :yes WHERE id = :id", yes=True, id=tx.realm_id)
    events.log.announce(tx, RealmChanged("deactivated", True), to=NoClients())


def _permit(tx: Tx, setting: str, value: Any) -> None:
    storage.organization.realms.set_setting(tx, setting, value)
    events.log.announce(tx, RealmChanged(setting, value), to=NoClients())
