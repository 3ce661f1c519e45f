"""What a feature adds to the core, which knows no feature.

`features/__init__.py` has the list of all features and hands their parts to the core.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.people.grant import Grant
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.snapshot.register_parts import Part
from tertulia.jobs.runner import Job


class Feature(msgspec.Struct, frozen=True, kw_only=True):
    """`register` are the lists that it adds to the register, by the name that clients request, and
    `state` all else there. `before_…` runs in the transaction of the core."""

    register: Mapping[str, ListedPart] = {}
    state: Mapping[str, Part] = {}
    jobs: Callable[[Database, Delivery], Iterable[Job]] = lambda database, delivery: ()
    before_deletion: Callable[[Tx, Sequence[int]], None] | None = None  # of messages
    before_end_of_grant: Callable[[Tx, Grant], None] | None = None  # of an agent
