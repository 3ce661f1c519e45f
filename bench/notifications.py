"""What a message costs its sender that causes a hundred notifications and ten webhook calls.

Two channels of the same size get the same message. In one of them all users have mail and push, and
the bots are webhooks; in the other nothing is called.
"""

import asyncio
import statistics
import time
from dataclasses import dataclass

from bench.fixture import SECRET
from bench.http_client import HttpConnection, Login
from tertulia import actions, domain, features, storage
from tertulia.actions.channels.subscriptions import SubscribeRequest
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import BotType, NewUser, Role

PEOPLE = 100
BOTS = 10
ROUNDS = 30
PAUSE_SECONDS = 0.05
LOUD, QUIET = "loud", "quiet"
POINT = domain.personal.web_push.encoded(b"\x04" + b"p" * 64)
AUTH = domain.personal.web_push.encoded(b"sixteen letters!")
NO_MAIL = {"enable_offline_email_notifications": False, "wildcard_mentions_notify": False}


@dataclass(frozen=True, slots=True)
class Cost:
    """Until the answer, of the fastest tenth: the others include other work."""

    notifying_seconds: float
    quiet_seconds: float


def create_organization(url: str, port: int) -> Login:
    """Everything that is called is on this machine."""
    database = BlockingDatabase.at(url)
    database.migrate()
    realm = database.of(0).write(actions.organization.creation.create, "Calls", "")
    return database.of(realm.id).write(_create_organization, f"http://127.0.0.1:{port}/")


def _create_organization(tx: Tx, address: str) -> Login:
    vault = Vault(SECRET.encode())
    ana, key = actions.people.account_creation.add(
        tx, vault, NewUser("ana@example.com", "Ana", Role.OWNER)
    )
    for name in (LOUD, QUIET):
        request = SubscribeRequest([NewChannel(name)], [""], principals=[ana.id])
        actions.channels.subscriptions.subscribe(tx, ana, request, "example.com")
        channel = storage.channels.table.find_by_name(tx, name)
        assert channel is not None
        people = [
            storage.people.users.insert(
                tx,
                email=f"{name}{number}@example.com",
                full_name=f"{name} {number}",
                role=Role.MEMBER,
                settings={} if name == LOUD else NO_MAIL,
            )
            for number in range(PEOPLE)
        ]
        storage.channels.subscriptions.activate(
            tx,
            channel,
            {user.id: "#c2c2c2" for user in people},
            storage.log.head(tx),
            storage.messages.table.newest_id(tx),
        )
        for number in range(BOTS):
            bot = storage.people.users.insert(
                tx,
                email=f"{name}-bot{number}@example.com",
                full_name=f"{name} bot {number}",
                role=Role.MEMBER,
                bot_type=BotType.OUTGOING_WEBHOOK if name == LOUD else BotType.GENERIC,
                bot_owner_id=ana.id,
            )
            if name == LOUD:
                service = domain.people.bots.new_service(address, 1)
                storage.people.bots.save(tx, Bot(bot.id, service=service))
        for user in people if name == LOUD else []:
            features.notifications.receivers.add_subscription(tx, user, address, POINT, AUTH)
    return Login(ana.email, key)


async def measure(port: int, ana: Login) -> Cost:
    """In turn, with pauses, so that a busy moment of the machine affects both."""
    connection = await HttpConnection.to(port)
    waits: dict[str, list[float]] = {LOUD: [], QUIET: []}
    for number in range(ROUNDS + 3):
        for name, waited in waits.items():
            bots = " ".join(f"@**{name} bot {each}**" for each in range(BOTS))
            request = ana.post(
                "/messages",
                type="channel",
                to=name,
                topic="bench",
                content=f"@**all** {bots} {number}",
            )
            begun = time.perf_counter()
            await connection.fetch(request)
            if number >= 3:
                waited.append(time.perf_counter() - begun)
            await asyncio.sleep(PAUSE_SECONDS)
    connection.close()
    return Cost(*(statistics.quantiles(waits[name], n=10)[0] for name in (LOUD, QUIET)))
