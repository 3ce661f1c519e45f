"""A database facade for commands that run async code of the server, without threads."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.fair_queue import Person

P = ParamSpec("P")
T = TypeVar("T")


class BlockingDatabase(Database):
    """Runs each call at once, in a transaction of its own."""

    async def read_for(self, person: Person, realm_id: int, query: Callable[[Tx], T]) -> T:
        return self.read_now(realm_id, query)

    async def read_in_thread_for(
        self, person: Person, realm_id: int, query: Callable[[Tx], T]
    ) -> T:
        return self.read_now(realm_id, query)

    async def write_in(
        self,
        realm_id: int,
        action: Callable[Concatenate[Tx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return self.write_now(realm_id, action, *args, **kwargs)
