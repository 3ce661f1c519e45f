"""Deadlines of one client: to send the rest of a request, and to read an answer."""

import asyncio

from tertulia.server.connection_limits import Deadline


class ClientDeadlines:
    """At most two deadlines: one for a request that is arriving, one for an unread response.

    Time counts only while the client is slow, not while the server has paused reading.
    """

    __slots__ = ("_max_unread_bytes", "_reading", "sending")

    def __init__(self) -> None:
        self.sending: Deadline | None = None
        self._reading: Deadline | None = None
        self._max_unread_bytes = 0

    def expect(self, what: str, now: float, received_bytes: int = 0) -> None:
        """Start a deadline for a "head" or a "body"."""
        self.sending = Deadline(what, now, received_bytes)

    def body_received(self, size: int) -> None:
        if self.sending is not None:
            self.sending.moved_bytes += size

    def request_received(self) -> None:
        self.sending = None

    def response_read(self) -> None:
        self._reading = None

    def open(
        self, transport: asyncio.Transport, now: float, *, is_read_paused: bool
    ) -> list[Deadline]:
        """The deadlines that run at this moment."""
        if transport.is_closing():
            self.sending = None
        elif self.sending is not None and is_read_paused:
            self.expect(self.sending.what, now)
        self._measure_unread(transport, now)
        return [each for each in (self.sending, self._reading) if each is not None]

    def _measure_unread(self, transport: asyncio.Transport, now: float) -> None:
        try:
            unread = transport.get_write_buffer_size()
        except RuntimeError:  # uvloop raises it for a lost connection
            unread = 0
        if not unread:
            self._reading = None
        elif self._reading is None:
            self._reading, self._max_unread_bytes = Deadline("answer", now), unread
        else:
            self._max_unread_bytes = max(self._max_unread_bytes, unread)
            self._reading.moved_bytes = self._max_unread_bytes - unread
