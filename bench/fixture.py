"""The organization that is measured: a few active users, and ten thousand passive ones."""

from dataclasses import dataclass

from pyroaring import BitMap64

from bench.http_client import Login
from tertulia import actions, domain, features, storage
from tertulia.actions.channels.subscriptions import SubscribeRequest
from tertulia.actions.queues import MAX_PER_USER
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, Role, User
from tertulia.events.listener import Options

SECRET = "only a benchmark would use this secret"
AUDIENCES = (10, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Queue:
    owner: Login
    id: str


@dataclass(frozen=True, slots=True)
class BenchOrganization:
    ana: Login
    queues: list[Queue]  # of other users, to be polled


def create_organization(url: str, listeners: int) -> BenchOrganization:
    """Create an organization: all users are in `square`, and ana is alone in `hall`.

    The number of queues per user is limited, so there are as many users as that takes.
    """
    database = BlockingDatabase.at(url)
    database.migrate()
    realm = database.of(0).write(actions.organization.creation.create, "Bench", "")
    vault = Vault(SECRET.encode())

    def add(name: str, role: Role) -> tuple[User, Login]:
        new = NewUser(f"{name}@example.com", name.title(), role)
        user, key = database.of(realm.id).write(actions.people.account_creation.add, vault, new)
        return user, Login(user.email, key)

    ana, login = add("ana", Role.OWNER)
    owners = [add(f"ben{number}", Role.MEMBER) for number in range(-(-listeners // MAX_PER_USER))]
    everybody = [ana.id, *(user.id for user, _ in owners)]
    database.of(realm.id).write(_open_channel, ana, everybody, "square")
    database.of(realm.id).write(_open_channel, ana, [ana.id], "hall")
    opened: list[Queue] = []
    for user, owner in owners:
        count = min(MAX_PER_USER, listeners - len(opened))
        ids = database.of(realm.id).write(_open_queues, user, count)
        opened += [Queue(owner, queue_id) for queue_id in ids]
    return BenchOrganization(login, opened)


@dataclass(frozen=True, slots=True)
class BenchChannel:
    """One of several organizations, and a user who sends to its channel `hall`."""

    host: str
    login: Login
    queue: str

    def with_host(self, request: bytes) -> bytes:
        return request.replace(b"Host: localhost\r\n", b"Host: %s\r\n" % self.host.encode(), 1)


def create_organizations(url: str, organizations: int) -> list[BenchChannel]:
    database, vault = BlockingDatabase.at(url), Vault(SECRET.encode())
    database.migrate()
    return [_create_organization(database, vault, f"o{number}") for number in range(organizations)]


def _create_organization(database: BlockingDatabase, vault: Vault, subdomain: str) -> BenchChannel:
    realm = database.of(0).write(actions.organization.creation.create, "Bench", subdomain)
    new = NewUser("ana@example.com", "Ana", Role.OWNER)
    ana, key = database.of(realm.id).write(actions.people.account_creation.add, vault, new)
    database.of(realm.id).write(_open_channel, ana, [ana.id], "hall")
    (queue_id,) = database.of(realm.id).write(_open_queues, ana, 1)
    return BenchChannel(f"{subdomain}.localhost", Login(ana.email, key), queue_id)


def create_users(url: str, count: int) -> list[Login]:
    """Users of one organization, each with a key and last active a minute ago."""
    database = BlockingDatabase.at(url)
    database.migrate()
    realm = database.of(0).write(actions.organization.creation.create, "Crowd", "")
    return database.of(realm.id).write(_add_users, Vault(SECRET.encode()), count)


def _add_users(tx: Tx, vault: Vault, count: int) -> list[Login]:
    new = [NewUser(f"person{number}@example.com", f"Person {number}") for number in range(count)]
    added = [actions.people.account_creation.add(tx, vault, each) for each in new]
    features.presence.record(
        tx, {user.id: domain.people.presence.first("active", tx.now - 60) for user, _ in added}, 0
    )
    return [Login(user.email, key) for user, key in added]


def add_passive_users(url: str, organization: BenchOrganization) -> None:
    """Add ten thousand users, and subscribe some of them to each channel."""
    BlockingDatabase.at(url).of(1).write(_add_passive_users, organization.ana.email)


def _add_passive_users(tx: Tx, email: str) -> None:
    """Written without events: ten thousand joins need not be delivered."""
    ana = actions.people.users.get_by_email(tx, email)
    passive = [
        storage.people.users.insert(
            tx, email=f"silent{number}@example.com", full_name=f"Silent {number}", role=Role.MEMBER
        )
        for number in range(max(AUDIENCES))
    ]
    for audience in AUDIENCES:
        name = f"audience-{audience}"
        _open_channel(tx, ana, [ana.id], name)
        channel = storage.channels.table.find_by_name(tx, name)
        assert channel is not None
        colors = {user.id: "#c2c2c2" for user in passive[:audience]}
        storage.channels.subscriptions.activate(
            tx, channel, colors, storage.log.head(tx), storage.messages.table.newest_id(tx)
        )


def subscribe_to_all(url: str, email: str, unread: int) -> None:
    """Subscribe a user to every channel, with this many unread messages."""
    BlockingDatabase.at(url).of(1).write(_subscribe_to_all, email, unread)


def _subscribe_to_all(tx: Tx, email: str, unread: int) -> None:
    me = actions.people.users.get_by_email(tx, email).id
    channels = sorted(storage.channels.table.names(tx))
    tx.execute("DELETE FROM subscription WHERE user_id = :me", me=me)
    tx.execute("DELETE FROM subscription_span WHERE user_id = :me", me=me)
    rows = [
        {"realm": tx.realm_id, "channel": channel, "me": me, "yes": True} for channel in channels
    ]
    tx.execute_many(
        "INSERT INTO subscription (realm_id, channel_id, user_id, active, color)"
        " VALUES (:realm, :channel, :me, :yes, '#c2c2c2')",
        rows,
    )
    tx.execute_many(
        "INSERT INTO subscription_span (realm_id, channel_id, user_id, start_seq, start_message_id)"
        " VALUES (:realm, :channel, :me, 0, 0)",
        rows,
    )
    newest = storage.messages.table.newest_in(tx, channels, unread)
    last = storage.messages.table.newest_id(tx)
    storage.messages.unread.store(tx, me, BitMap64(newest), last)


def _open_channel(tx: Tx, owner: User, user_ids: list[int], name: str) -> None:
    request = SubscribeRequest([NewChannel(name)], [""], principals=user_ids)
    actions.channels.subscriptions.subscribe(tx, owner, request, "example.com")


def _open_queues(tx: Tx, user: User, count: int) -> list[str]:
    options, start = Options(event_types=["message"]), storage.log.end(tx)
    queues = [actions.queues.new(user, options, start, 3600, tx.now) for _ in range(count)]
    for queue in queues:
        actions.queues.store(tx, user, queue)
    return [queue.id for queue in queues]
