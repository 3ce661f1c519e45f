"""Whether a request that fails may have changed something all the same.

A 503 promises that nothing was done, and load balancers repeat such a request on another server. So
the database notes here every write of a request that was committed, or that may be. An error that
would make that promise in vain is replaced before it is reported.
"""

from contextvars import ContextVar

from tertulia.errors.client_error import ClientError
from tertulia.errors.http import OutcomeUnknown


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
    itself; one that gets an error knows by that error what became of it."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if kind is None or not issubclass(kind, Exception):
            writes = _of_request.get()
            if writes is not None:
                writes.may_have_written = True


noting_write = _NotingWrite()


def checked(error: ClientError) -> ClientError:
    """The error to report: a 503 only if nothing was written."""
    writes = _of_request.get()
    if error.status == 503 and writes is not None and writes.may_have_written:
        return OutcomeUnknown()
    return error
