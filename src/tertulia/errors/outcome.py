"""Tracks whether a request that fails may have changed something nevertheless.

A 503 promises that nothing was written, and load balancers repeat the request on another server;
clients repeat a 429. So the database records here every write of a request that was, or may have
been, committed. An error that would break the promise is replaced before it is reported.
"""

from contextvars import ContextVar

from tertulia.errors.client_error import ClientError
from tertulia.errors.http import AttemptsExhausted, OutcomeUnknown

_REPEATED = frozenset({429, 503})  # statuses after which clients or balancers repeat a request


class RequestWrites:
    """What one request may have written."""

    __slots__ = ("may_have_written",)

    def __init__(self) -> None:
        self.may_have_written = False


_of_request: ContextVar[RequestWrites | None] = ContextVar("request_writes", default=None)


def start_request() -> None:
    """From here on, writes of this task and of tasks that it starts belong to one request."""
    _of_request.set(RequestWrites())


class _RecordedWrite:
    """Wraps the wait for a commit. Records a write that succeeds, whose caller is cancelled, or
    that ends with OutcomeUnknown. Other errors mean that nothing was written."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, OutcomeUnknown):
            writes = _of_request.get()
            if writes is not None:
                writes.may_have_written = True


recorded_write = _RecordedWrite()


def checked(error: ClientError) -> ClientError:
    """The error to report: 503 or 429 only if nothing was written except a refused attempt."""
    writes = _of_request.get()
    if writes is None or not writes.may_have_written or isinstance(error, AttemptsExhausted):
        return error
    return OutcomeUnknown() if error.status in _REPEATED else error
