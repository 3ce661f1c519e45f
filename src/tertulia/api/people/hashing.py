"""Passwords, hashed off the loop: a few at once, since each takes 19 MiB and all of a core.

The threads are of their own, so that nobody who logs in waits for other work.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from tertulia import domain

_HASHING = ThreadPoolExecutor(2, thread_name_prefix="passwords")


async def hashed(password: str) -> str:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_HASHING, domain.people.passwords.hashed, password)


async def matches(password: str, password_hash: str | None) -> bool:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(
        _HASHING, domain.people.passwords.matches, password, password_hash
    )
