"""What a feature adds to the core, which knows no feature.

`features/__init__.py` has the list of all features and hands their parts to the core.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from tertulia.api.call import Services
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.people.grant import Grant
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.snapshot.register_parts import Part
from tertulia.events.snapshot.snapshot_data import OwnedFact
from tertulia.http.openapi import SentRequest
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import Job


class Export(Protocol):
    """An export in Zulip's format that is being written."""

    def rows(self, table: str, owner: str = "user_id") -> Iterable[Row]:
        """The rows of a table whose owner's personal data is exported."""

    def recipient(self, channel_id: int | None, user_ids: list[int]) -> int | None:
        """The exported id of a channel or conversation."""


# Who asks for other people's things; humans and bots are members.
Callers = Literal["members", "humans", "bots"]


class Feature(msgspec.Struct, frozen=True, kw_only=True):
    """`register` are the lists that it adds to the register, by the name that clients request, and
    `state` all else there. `exports` are tables of an export, by Zulip's name, and `audit` paths
    of the API by area of the audit log. `before_…` runs in the transaction of the core.

    `shows_ids` is what the feature adds to the leak law: calls that answer such callers differently
    if an id exists that is not theirs. All other calls answer as if it did not."""

    register: Mapping[str, ListedPart] = {}
    state: Mapping[str, Part] = {}
    facts: Mapping[str, OwnedFact] = {}  # what `state` reads, by table
    exports: Mapping[str, Callable[[Tx, Export], Iterable[dict[str, Any]]]] = {}
    hidden_columns: Collection[tuple[str, str]] = ()  # of users, whose own export lacks the rows
    stays_after_erasure: Collection[tuple[str, str]] = ()  # columns with the id of an erased user
    audit: Mapping[str, Sequence[str]] = {}
    shows_ids: Mapping[Callers, Sequence[str]] = {}
    jobs: Callable[[Services], Iterable[Job]] = lambda services: ()
    add_senders: Callable[[Services, Outbox], None] = lambda services, outbox: None
    sent_requests: Sequence[SentRequest] = ()  # requests that the feature sends to other servers
    before_deletion: Callable[[Tx, Sequence[int]], None] | None = None  # of messages
    before_end_of_grant: Callable[[Tx, Grant], None] | None = None  # of an agent
