"""The organization that is measured: a few who act, and ten thousand who are only there."""

from dataclasses import dataclass

import msgspec

from bench.wire import Login
from tertulia.actions import organizations, users
from tertulia.actions.subscriptions import Wish, subscribe
from tertulia.actions.users import NewUser
from tertulia.domain.channels import NewChannel
from tertulia.domain.keys import Vault
from tertulia.domain.users import Role, User
from tertulia.events.listener import Options
from tertulia.events.mailbox import event_id
from tertulia.storage import channels, log, messages, queues
from tertulia.storage.database import Database
from tertulia.storage.queues import StoredQueue
from tertulia.storage.tx import Tx

SECRET = "only a benchmark would use this secret"
AUDIENCES = (10, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Town:
    ana: Login
    ben: Login
    queue_ids: list[str]  # of ben, waiting to be polled


def settle(url: str, queue_count: int) -> Town:
    """Found an organization: ana and ben are both in `square`, and ana is alone in `hall`."""
    database = Database.at(url)
    database.migrate()
    realm = database.write_now(0, organizations.create, "Bench", "")
    vault = Vault(SECRET.encode())
    ana, ana_key = database.write_now(
        realm.id, users.add, vault, NewUser("ana@example.com", "Ana", Role.OWNER)
    )
    ben, ben_key = database.write_now(
        realm.id, users.add, vault, NewUser("ben@example.com", "Ben", Role.MEMBER)
    )
    database.write_now(realm.id, _open_channel, ana, [ana.id, ben.id], "square")
    database.write_now(realm.id, _open_channel, ana, [ana.id], "hall")
    queue_ids = database.write_now(realm.id, _open_queues, ben, queue_count)
    return Town(Login(ana.email, ana_key), Login(ben.email, ben_key), queue_ids)


def grow(url: str, town: Town) -> None:
    """Bring ten thousand people in, and let some of them subscribe to each of the channels."""
    database = Database.at(url)
    database.write_now(1, _bring_in, town.ana.email, max(AUDIENCES))


def _bring_in(tx: Tx, email: str, count: int) -> None:
    """Written straight into the tables: nobody here wants to be told of ten thousand joins."""
    ana = users.get_by_email(tx, email)
    tx.execute_many(
        "INSERT INTO account (realm_id, email, email_key, full_name, role, joined_at)"
        " VALUES (:realm, :email, :email, :name, 400, :now)",
        (
            {
                "realm": tx.realm_id,
                "email": f"silent{number}@example.com",
                "name": f"Silent {number}",
                "now": tx.now,
            }
            for number in range(count)
        ),
    )
    found = tx.all("SELECT id FROM account WHERE email LIKE 'silent%' ORDER BY id")
    ids = [row["id"] for row in found]
    for audience in AUDIENCES:
        name = f"audience-{audience}"
        _open_channel(tx, ana, [ana.id], name)
        channel = channels.find_by_name(tx, name)
        assert channel is not None
        rows = [
            {"realm": tx.realm_id, "channel": channel.id, "user": user_id, "seq": log.head(tx)}
            | {"message": messages.newest_id(tx)}
            for user_id in ids[:audience]
        ]
        tx.execute_many(
            "INSERT INTO subscription (realm_id, channel_id, user_id, active, color)"
            " VALUES (:realm, :channel, :user, TRUE, '#c2c2c2')",
            ({name: row[name] for name in ("realm", "channel", "user")} for row in rows),
        )
        tx.execute_many(
            "INSERT INTO subscription_span"
            " (realm_id, channel_id, user_id, start_seq, start_message_id)"
            " VALUES (:realm, :channel, :user, :seq, :message)",
            rows,
        )


def _open_channel(tx: Tx, owner: User, user_ids: list[int], name: str) -> None:
    wish = Wish([NewChannel(name)], [""], principals=user_ids)
    subscribe(tx, owner, wish, "example.com")


def _open_queues(tx: Tx, user: User, count: int) -> list[str]:
    """More of them than one person may register, and all at once."""
    options = msgspec.json.encode(Options(event_types=["message"])).decode()
    ids = [f"queue-{number}" for number in range(count)]
    start = log.head(tx)
    for queue_id in ids:
        queue = StoredQueue(
            queue_id, tx.realm_id, user.id, options, start, event_id(start), 3600, tx.now
        )
        queues.insert(tx, queue)
    return ids
