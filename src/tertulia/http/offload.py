"""Decodes large bodies on a fair queue, small ones at once."""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from tertulia.fair_queue import FairQueue, Person

QUICK_BYTES = 1 << 14

# One slot: decoding holds the GIL, so a second thread would not help.
FORMS = FairQueue("forms", slots=1, max_waiting=100)

P = ParamSpec("P")
T = TypeVar("T")


async def decoded(
    person: Person, size: int, decode: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Decode `size` bytes that this user sent. Raises RateLimited."""
    if size <= QUICK_BYTES:
        return decode(*args, **kwargs)
    return await FORMS.run(person, partial(decode, *args, **kwargs))
