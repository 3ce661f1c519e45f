"""Keep-alive: closes a connection on which no request arrives for a while."""

import asyncio


class KeepAliveTimer:
    """Closes the transport after it was idle for `seconds`.

    A request does not cancel the timer, which would cost more. When it fires, it starts again for
    the remaining time.
    """

    __slots__ = ("_idle_since", "_loop", "_seconds", "_timer", "_transport")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, seconds: float
    ) -> None:
        self._loop = loop
        self._transport = transport
        self._seconds = seconds
        self._idle_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._idle_since = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._check)

    def stop(self) -> None:
        self._idle_since = None

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _check(self) -> None:
        self._timer = None
        if self._idle_since is None or self._transport.is_closing():
            return
        remaining = self._idle_since + self._seconds - self._loop.time()
        if remaining > 0:
            self._timer = self._loop.call_later(remaining, self._check)
        else:
            self._transport.close()
