"""An LMTP server (RFC 2033), through which a mail server on the same machine delivers mail.

It implements only the commands that mail servers send. LMTP answers once per recipient, and a
positive answer means that the mail is stored. Written here because libraries for it are complete
mail servers.
"""

import asyncio
import contextlib
import os
import re
from collections.abc import Awaitable, Callable
from importlib import metadata
from typing import Protocol

import msgspec
from msgspec import field

from tertulia.domain.inbound_mail import MAX_BYTES, MailRefused
from tertulia.log import log

MAX_CONNECTIONS = 16  # twice what one sender may have queued; each holds a mail in memory
MAX_RECIPIENTS = 100
MAX_LINE_BYTES = 4096
MAX_BAD_COMMANDS = 20
MAX_IGNORED_BYTES = 4 * MAX_BYTES  # of a mail that is too large, before the connection is closed
IDLE_TIMEOUT_SECONDS = 300.0
CHUNK = 1 << 16
END = b"\r\n.\r\n"

_PATH = re.compile(r"(?:FROM|TO):\s*<([^<>\r\n]*)>", re.IGNORECASE)
_SIZE = re.compile(r"\bSIZE=(\d{1,15})\b", re.IGNORECASE)


class MailHandler(Protocol):
    async def resolve(self, recipient: str) -> None: ...
    async def accept(self, recipient: str, raw: bytes, sender: str) -> str: ...


class ConnectionEnded(Exception):
    """The client closed the connection, or sent too much or too slowly."""


class LmtpDelivery(msgspec.Struct):
    is_open: bool = False
    sender: str = ""
    recipients: list[str] = field(default_factory=list)


class LmtpServer:
    """Listens at `HOST:PORT` or at a socket path while the context is open."""

    def __init__(self, address: str, handler: MailHandler) -> None:
        self._address = address
        self._handler = handler
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)
        self._sessions: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        if self._address.startswith("/"):
            self._server = await asyncio.start_unix_server(
                self._on_connection, self._address, limit=CHUNK
            )
            # The folder decides who may connect; the recipient's address decides what is delivered.
            os.chmod(self._address, 0o666)  # noqa: S103
        else:
            host, _, port = self._address.rpartition(":")
            self._server = await asyncio.start_server(
                self._on_connection, host.strip("[]"), int(port), limit=CHUNK
            )

    @property
    def port(self) -> int:
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def close(self) -> None:
        self._server.close()
        for task in self._sessions:
            task.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)
        if self._address.startswith("/"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._address)

    async def _on_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            async with self._slots:
                await LmtpSession(reader, writer, self._handler).run()
        except (ConnectionEnded, OSError, TimeoutError):
            pass
        finally:
            self._sessions.discard(task)
            writer.close()


class LmtpSession:
    """One connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: MailHandler
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._handler = handler
        self._buffer = bytearray()
        self._envelope = LmtpDelivery()
        self._bad_commands = 0
        self._verbs: dict[str, Callable[[str], Awaitable[None]]] = {
            "LHLO": self._lhlo,
            "MAIL": self._mail,
            "RCPT": self._rcpt,
            "DATA": self._data,
            "RSET": self._rset,
            "NOOP": lambda rest: self._reply("250 2.0.0 OK"),
            "VRFY": lambda rest: self._reply("252 2.5.0 Cannot verify; send the mail"),
        }

    async def run(self) -> None:
        await self._reply(f"220 Tertulia {metadata.version('tertulia')} LMTP")
        while True:
            verb, _, rest = (await self._line()).partition(" ")
            if verb.upper() == "QUIT":
                await self._reply("221 2.0.0 Bye")
                return
            command = self._verbs.get(verb.upper())
            if command is None:
                await self._reject_command(
                    "500 5.5.2 This is LMTP: LHLO, MAIL, RCPT, DATA, RSET, QUIT"
                )
            else:
                await command(rest.strip())

    # --- commands ---

    async def _lhlo(self, rest: str) -> None:
        self._envelope = LmtpDelivery()
        words = ("Tertulia", "PIPELINING", "ENHANCEDSTATUSCODES", "8BITMIME", "SMTPUTF8")
        await self._reply(*(f"250-{each}" for each in words), f"250 SIZE {MAX_BYTES}")

    async def _mail(self, rest: str) -> None:
        size = _SIZE.search(rest)
        found = _PATH.match(rest)
        if found is None or self._envelope.is_open:
            await self._reject_command("503 5.5.1 MAIL FROM:<address> comes first, once")
        elif size is not None and int(size[1]) > MAX_BYTES:
            await self._reply(f"552 5.3.4 The mail is larger than {MAX_BYTES >> 20} MiB.")
        else:
            self._envelope = LmtpDelivery(is_open=True, sender=found[1])
            await self._reply("250 2.1.0 OK")

    async def _rcpt(self, rest: str) -> None:
        found = _PATH.match(rest)
        if found is None or not self._envelope.is_open:
            await self._reject_command("503 5.5.1 RCPT TO:<address> comes after MAIL")
        elif len(self._envelope.recipients) >= MAX_RECIPIENTS:
            await self._reply("452 4.5.3 Too many recipients")
        else:
            try:
                await self._handler.resolve(found[1])
            except MailRefused as refusal:
                await self._reply(_refusal_line(refusal))
                return
            self._envelope.recipients.append(found[1])
            await self._reply("250 2.1.5 OK")

    async def _data(self, rest: str) -> None:
        if not self._envelope.recipients:
            await self._reject_command("503 5.5.1 RCPT TO:<address> comes first")
            return
        await self._reply("354 End with a dot on a line of its own")
        raw = await self._body()
        envelope, self._envelope = self._envelope, LmtpDelivery()
        for recipient in envelope.recipients:
            await self._reply(await self._deliver(recipient, raw, envelope.sender))

    async def _deliver(self, recipient: str, raw: bytes | None, sender: str) -> str:
        if raw is None:
            return f"552 5.3.4 The mail is larger than {MAX_BYTES >> 20} MiB."
        try:
            return f"250 2.0.0 OK: {await self._handler.accept(recipient, raw, sender)}"
        except MailRefused as refusal:
            return _refusal_line(refusal)
        except Exception as error:  # the mail server keeps the mail and tries again
            log.error("mail.inbound_failed", exc_info=error)
            return "451 4.3.0 Something went wrong here; try again later."

    async def _rset(self, rest: str) -> None:
        self._envelope = LmtpDelivery()
        await self._reply("250 2.0.0 OK")

    # --- lines and bodies ---

    async def _line(self) -> str:
        while (end := self._buffer.find(b"\r\n")) < 0:
            if len(self._buffer) > MAX_LINE_BYTES:
                await self._reply("500 5.5.2 Line too long")
                raise ConnectionEnded
            await self._receive()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line.decode(errors="replace")

    async def _body(self) -> bytes | None:
        """The bytes of a mail; None if it is too large."""
        body = bytearray(b"\r\n")  # so that a dot on the first line is recognized
        ignored = 0
        while True:
            seen = max(0, len(body) - len(END))
            body += self._buffer
            self._buffer.clear()
            end = body.find(END, seen)
            if end >= 0:
                self._buffer += body[end + len(END) :]
                del body[end + 2 :]
                is_too_large = ignored or len(body) > MAX_BYTES
                return None if is_too_large else await asyncio.to_thread(_remove_dot_stuffing, body)
            if len(body) > MAX_BYTES:
                ignored += len(body) - len(END)
                if ignored > MAX_IGNORED_BYTES:
                    raise ConnectionEnded
                del body[: -len(END)]
            await self._receive()

    async def _receive(self) -> None:
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            data = await self._reader.read(CHUNK)
        if not data:
            raise ConnectionEnded
        self._buffer += data

    async def _reply(self, *lines: str) -> None:
        self._writer.write("".join(f"{line}\r\n" for line in lines).encode(errors="replace"))
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            await self._writer.drain()

    async def _reject_command(self, line: str) -> None:
        await self._reply(line)
        self._bad_commands += 1
        if self._bad_commands > MAX_BAD_COMMANDS:
            raise ConnectionEnded


def _remove_dot_stuffing(body: bytearray) -> bytes:
    return bytes(body.replace(b"\r\n..", b"\r\n."))[2:]


def _refusal_line(refusal: MailRefused) -> str:
    is_final = refusal.code.startswith("5")
    words = " ".join(refusal.text.split())[:400]
    return f"{'550' if is_final else '451'} {refusal.code} {words}"
