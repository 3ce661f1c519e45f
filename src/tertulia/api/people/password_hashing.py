"""Password hashing off the event loop; each hash takes 19 MiB and a whole core.

Callers are served in turn, logins by network address. An address that tries many passwords
therefore delays a login from elsewhere by one hash.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from tertulia import domain
from tertulia.errors.http import AttemptsExhausted, RateLimited
from tertulia.fair_queue import FairQueue, Person

PASSWORDS = FairQueue("passwords", slots=2, max_waiting=100)

T = TypeVar("T")


async def chosen(person: Person, password: str, about: Sequence[str] = ()) -> str:
    """The hash of a new password; raises BadRequest for a weak one."""

    def check_and_hash() -> str:
        return domain.people.passwords.hashed(domain.people.passwords.checked(password, about))

    return await _run(person, check_and_hash)


async def matches(person: Person, password: str, password_hash: str | None) -> bool:
    return await _run(person, partial(domain.people.passwords.matches, password, password_hash))


async def _run(person: Person, work: Callable[[], T]) -> T:
    try:
        return await PASSWORDS.run(person, work)
    except RateLimited as refusal:  # the attempt was counted, and nothing else changed
        raise AttemptsExhausted(**refusal.values) from None
