"""Decoding of what was sent: on a fair queue if it takes long, at once if it is short."""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from tertulia.fair_queue import FairQueue, Person

QUICK_BYTES = 1 << 14

# One slot: decoding holds the interpreter, so a second thread would not make it faster.
FORMS = FairQueue("forms", slots=1, max_waiting=100)

P = ParamSpec("P")
T = TypeVar("T")


async def decoded(
    person: Person, size: int, decode: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """The result of decoding `size` bytes that this person has sent. Raises RateLimited."""
    if size <= QUICK_BYTES:
        return decode(*args, **kwargs)
    return await FORMS.run(person, partial(decode, *args, **kwargs))
