"""Pipelined requests: a client may send several before the first is answered."""

from collections import deque

from tertulia.errors import ClientError
from tertulia.http.exchange import HttpExchange, Scope

MAX_PIPELINED_REQUESTS = 32  # that wait for an earlier response


class Pipeline:
    """The exchanges of one connection, in the order in which they must be answered.

    One is answered at a time. An error in the bytes after them is answered last.
    """

    __slots__ = ("_error", "_waiting", "current", "last")

    def __init__(self) -> None:
        self.current: HttpExchange | None = None  # the one that is answered, or was the last
        self.last: HttpExchange | None = None  # the one that arrived last
        self._waiting: deque[tuple[HttpExchange, Scope]] | None = None
        self._error: ClientError | None = None

    @property
    def is_idle(self) -> bool:
        """Whether every request is answered."""
        return self.last is None or self.last.is_over

    @property
    def is_response_started(self) -> bool:
        """Whether bytes written now would not be taken for the response to the last request."""
        return bool(self._waiting) or (self.last is not None and self.last.has_answer_begun)

    def add(self, exchange: HttpExchange, scope: Scope) -> bool:
        """True if the exchange starts now, False if it waits. Raises ValueError if too many do."""
        if self._waiting and len(self._waiting) >= MAX_PIPELINED_REQUESTS:
            raise ValueError("too many pipelined requests")
        starts = self.is_idle
        self.last = exchange
        if starts:
            self.current = exchange
        else:
            self._waiting = self._waiting or deque()
            self._waiting.append((exchange, scope))
        return starts

    def next(self) -> tuple[HttpExchange, Scope] | ClientError | None:
        """What to answer now that an exchange is over."""
        if not self._waiting:
            return self._error
        exchange, scope = self._waiting.popleft()
        self.current = exchange
        return exchange, scope

    def is_reading_current(self) -> bool:
        """Whether the request that is being answered has not arrived completely."""
        return self._is_last_unfinished() and not self._waiting

    def defer(self, error: ClientError) -> bool:
        """Answer an error after the requests before it; False if there are none.

        The request in which it occurred is dropped.
        """
        if self._is_last_unfinished() and self._waiting:
            self._waiting.pop()
        if self.current is None or self.current.is_over:
            return False
        self._error = error
        return True

    def close(self) -> None:
        self.current = self.last = self._waiting = None

    def _is_last_unfinished(self) -> bool:
        return self.last is not None and self.last.more_body and not self.last.is_over
