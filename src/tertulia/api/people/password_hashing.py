"""Passwords, hashed off the loop: a few at once, since each takes 19 MiB and all of a core.

Callers are served in turn, those who log in by their network address, so that one address that
tries many passwords delays a login from elsewhere by one password.
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
    """The hash of a password that somebody wants to have; raises BadRequest for a bad one."""

    def check_and_hash() -> str:
        return domain.people.passwords.hashed(domain.people.passwords.checked(password, about))

    return await _run(person, check_and_hash)


async def matches(person: Person, password: str, password_hash: str | None) -> bool:
    return await _run(person, partial(domain.people.passwords.matches, password, password_hash))


async def _run(person: Person, work: Callable[[], T]) -> T:
    try:
        return await PASSWORDS.run(person, work)
    except RateLimited as refusal:  # the attempt was counted before, and nothing else was done
        raise AttemptsExhausted(**refusal.values) from None
