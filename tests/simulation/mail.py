"""The mail server: it takes mails by SMTP, and fails now and then. Laws about mails.

aiosmtplib works as usual, on connections that end here. An account that is never there gets mails
about direct messages, and a digest each week.
"""

import asyncio
import email
import random
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import aiosmtplib  # noqa: F401, before time is virtual: the server imports it when it needs it
from tests.simulation.machine import CLOCK
from tests.simulation.people import Person, action, send_with_key

from tertulia.features.digests import APART_SECONDS

if TYPE_CHECKING:
    from tests.simulation.world import World

ABSENT_ACCOUNT = 7  # nobody uses it
BATCHING_SECONDS = 10  # until a mail about a direct message
FAILURE_SHARE = 0.2
MAX_WAIT_SECONDS = 600.0
DIGEST_SUBJECT = "What happened in"
DAYS_WITH_DIGEST = 22  # of one life: three weeks


class Mail(NamedTuple):
    written_at: float
    to: str
    subject: str
    text: str


class MailServer:
    def __init__(self, rng: random.Random) -> None:
        self.mails: list[Mail] = []
        self.rng = rng
        self.is_well = False  # it does not fail, and answers at once

    def connect(self, protocol: Any) -> "Connection":
        return Connection(self, protocol)

    def take(self, content: bytes) -> None:
        found = email.message_from_bytes(content)
        texts = [part for part in found.walk() if part.get_content_type() == "text/plain"]
        contents: list[Any] = [each.get_payload(decode=True) for each in texts]
        text = "".join(each.decode() for each in contents)
        headers = str(found["To"]), str(found["Subject"])
        written_at = parsedate_to_datetime(found["Date"]).timestamp()
        self.mails.append(Mail(written_at, *headers, text))

    def mails_with(self, mark: str) -> list[Mail]:
        return [each for each in self.mails if mark in each.text.split()]


class Connection(asyncio.Transport):
    def __init__(self, server: MailServer, protocol: Any) -> None:
        super().__init__()
        self._server, self._protocol = server, protocol
        self._received = b""
        self._is_content = self._is_closed = False
        protocol.connection_made(self)
        self._answer("220 mail.example.com")

    def write(self, data: Any) -> None:
        self._received += bytes(data)
        end = b"\r\n.\r\n" if self._is_content else b"\r\n"
        if self._received.endswith(end):
            received, self._received = self._received, b""
            (self._take if self._is_content else self._obey)(received)

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    def is_closing(self) -> bool:
        return self._is_closed

    def _obey(self, line: bytes) -> None:
        word = line.split()[0].upper()
        self._is_content = word == b"DATA"
        codes = {b"DATA": "354 Go on", b"QUIT": "221 Bye"}
        self._answer(codes.get(word, "250 mail.example.com"))

    def _take(self, content: bytes) -> None:
        """A mail may be taken although the client does not learn of it."""
        self._is_content = False
        server = self._server
        if server.is_well or server.rng.random() > FAILURE_SHARE:
            server.take(content)
            self._answer("250 Taken")
            return
        how = server.rng.choice(["refuses", "breaks", "hangs", "takes and breaks"])
        if how == "takes and breaks":
            server.take(content)
        if how == "refuses":
            self._answer("451 Later")
        elif how != "hangs":
            self.close()

    def _answer(self, line: str) -> None:
        seconds = self._server.rng.expovariate(200.0 if self._server.is_well else 20.0)
        asyncio.get_running_loop().call_later(seconds, self._arrive, f"{line}\r\n".encode())

    def _arrive(self, data: bytes) -> None:
        if not self._is_closed:
            self._protocol.data_received(data)


@action(0.3)
async def send_to_absent(person: Person) -> None:
    to = [person.place.user_ids[ABSENT_ACCOUNT]]
    await send_with_key(person, kind="direct", type="direct", to=to)


async def until_all_are_mailed(world: "World") -> None:
    world.mail_server.is_well = True
    end = CLOCK.monotonic + MAX_WAIT_SECONDS
    while CLOCK.monotonic < end and _not_mailed(world):  # noqa: ASYNC110
        await asyncio.sleep(5.0)


def broken_laws(world: "World") -> list[str]:
    """Mails are given up after a day: those of before the clocks were put forward may be lost."""
    missing = [] if world.has_leapt else _not_mailed(world)
    problems = [f"no mail about {mark} arrived" for mark in missing]
    digests: dict[str, set[float]] = {}  # when they were written, by receiver
    for mail in world.mail_server.mails:
        if mail.subject.startswith(DIGEST_SUBJECT):
            digests.setdefault(mail.to, set()).add(mail.written_at)
    problems += [
        f"{receiver} got two digests within three days"
        for receiver, times in digests.items()
        for earlier, later in pairwise(sorted(times))
        if later - earlier < APART_SECONDS - 1
    ]
    address = world.place.keys[ABSENT_ACCOUNT][0]
    if world.max_days_in_a_life >= DAYS_WITH_DIGEST and address not in digests:
        problems.append(f"{address} got no digest in {world.max_days_in_a_life} days")
    return problems


def _not_mailed(world: "World") -> list[str]:
    sent = (each for each in world.model.things.values() if each.kind == "direct")
    return [
        each.mark
        for each in sent
        if each.is_certain and not world.mail_server.mails_with(each.mark)
    ]
