"""The one way to the database: `db.read(…)`, `db.write(…)`, `db.query(…)`.

An `OrgDatabase` says for which organization, in whose turn and where. Functions of the server await
it; commands use `BlockingOrgDatabase`, which has the same three methods.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextvars import Context
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from tertulia.database.tx import Tx
from tertulia.database.write_queue import Check, Prepare
from tertulia.fair_queue import SERVER, Person

P = ParamSpec("P")
T = TypeVar("T")

Arguments = tuple[Any, ...]
Keywords = Mapping[str, Any]


class TransactionRunner(Protocol):
    """Runs the functions that an `OrgDatabase` gets."""

    async def run_read(
        self, db: "OrgDatabase", query: Callable[..., T], args: Arguments, keywords: Keywords
    ) -> T: ...

    async def run_query(
        self, db: "OrgDatabase", query: Callable[..., T], args: Arguments, keywords: Keywords
    ) -> T: ...

    async def run_write(
        self, db: "OrgDatabase", action: Callable[..., T], args: Arguments
    ) -> T: ...


class OrgDatabase:
    """The database of one organization, or of all if the number is 0.

    Endpoints get it as `call.db`. Reads run on the event loop (SQLite) or on a thread (PostgreSQL).
    A write joins a batch and is answered after its commit.
    """

    __slots__ = (
        "_runner", "check", "is_in_thread", "is_outside_log", "person", "prepare", "realm_id"
    )  # fmt: skip

    def __init__(
        self,
        runner: TransactionRunner,
        realm_id: int,
        person: Person = SERVER,
        check: Check | None = None,
        *,
        is_in_thread: bool = False,
        is_outside_log: bool = False,
        prepare: Prepare | None = None,
    ) -> None:
        self._runner = runner
        self.realm_id = realm_id
        self.person = person  # whose turn writes and reads on threads use
        self.check = check
        self.is_in_thread = is_in_thread
        self.is_outside_log = is_outside_log
        self.prepare = prepare

    def checked_by(self, check: Check) -> "OrgDatabase":
        """`check` runs in the transaction of each write, before the action. It may raise."""
        return OrgDatabase(self._runner, self.realm_id, self.person, check)

    def prepared_by(self, prepare: Prepare) -> "OrgDatabase":
        """`prepare` runs in the transaction of each write, before the check and the action. On
        PostgreSQL others write meanwhile: it changes rows that they rarely change. A write raises
        ServiceUnavailable if they did, and can be repeated."""
        return OrgDatabase(self._runner, self.realm_id, self.person, self.check, prepare=prepare)

    @property
    def in_thread(self) -> "OrgDatabase":
        """Reads that may take long run on a thread on both databases. They let other requests go
        first, and end if the caller is cancelled."""
        return OrgDatabase(self._runner, self.realm_id, self.person, is_in_thread=True)

    @property
    def outside_log(self) -> "OrgDatabase":
        """Writes of one statement that announce nothing and can be repeated do not wait for the
        writer on PostgreSQL."""
        return OrgDatabase(self._runner, self.realm_id, self.person, is_outside_log=True)

    async def read(
        self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a function in a transaction that only reads. Raises RateLimited."""
        return await self._runner.run_read(self, query, args, kwargs)

    async def query(
        self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a function of a single statement, without a transaction."""
        return await self._runner.run_query(self, query, args, kwargs)

    async def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an action in a transaction, and return after the commit. Raises RateLimited."""
        assert not kwargs, "actions take their arguments by position"
        return await self._runner.run_write(self, action, args)


_unanswered: set[asyncio.Task[Any]] = set()


def start_unanswered(write: Coroutine[Any, Any, object]) -> None:
    """Start a write that nothing waits for; a failure is ignored. It is not a write of the request
    that starts it, so it has a context of its own."""
    task = asyncio.get_running_loop().create_task(write, context=Context())
    _unanswered.add(task)
    task.add_done_callback(_ignore_failure)


def _ignore_failure(task: "asyncio.Task[Any]") -> None:
    _unanswered.discard(task)
    if not task.cancelled():
        task.exception()
