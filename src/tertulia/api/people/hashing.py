"""Passwords, hashed off the loop: a few at once, since each takes 19 MiB and all of a core.

The threads are of their own, so that nobody who logs in waits for other work.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tertulia import domain

_HASHING = ThreadPoolExecutor(2, thread_name_prefix="passwords")


async def chosen(password: str, about: Sequence[str] = ()) -> str:
    """The hash of a password that somebody wants to have; raises BadRequest for a bad one."""

    def check_and_hash() -> str:
        return domain.people.passwords.hashed(domain.people.passwords.checked(password, about))

    return await asyncio.get_running_loop().run_in_executor(_HASHING, check_and_hash)


async def matches(password: str, password_hash: str | None) -> bool:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(
        _HASHING, domain.people.passwords.matches, password, password_hash
    )
