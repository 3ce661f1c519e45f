"""Whether a request that fails may have changed something all the same.

A 503 promises that nothing was done, and load balancers repeat such a request on another server;
clients repeat a 429 by themselves. So the database notes here every write of a request that was
committed, or that may be. An error that would make that promise in vain is replaced before it is
reported.
"""

from contextvars import ContextVar

from tertulia.errors.client_error import ClientError
from tertulia.errors.http import AttemptsExhausted, OutcomeUnknown

_REPEATED = frozenset({429, 503})  # statuses after which a request is sent again


class RequestWrites:
    """What one request may have written."""

    __slots__ = ("may_have_written",)

    def __init__(self) -> None:
        self.may_have_written = False


_of_request: ContextVar[RequestWrites | None] = ContextVar("request_writes", default=None)


def begin_request() -> None:
    """From here on the writes of this task, and of those that it starts, are one request's."""
    _of_request.set(RequestWrites())


class _NotingWrite:
    """Surrounds the wait for a commit. A caller that is cancelled meanwhile leaves the write to
    itself; one that gets an error knows by that error what became of it, unless the error says that
    this is not known."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, OutcomeUnknown):
            writes = _of_request.get()
            if writes is not None:
                writes.may_have_written = True


noting_write = _NotingWrite()


def checked(error: ClientError) -> ClientError:
    """The error to report: a 503 or a 429 only if nothing was written but a refused attempt."""
    writes = _of_request.get()
    if writes is None or not writes.may_have_written or isinstance(error, AttemptsExhausted):
        return error
    return OutcomeUnknown() if error.status in _REPEATED else error
