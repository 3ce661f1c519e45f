"""Cheap password hashing: real hashing would take a tenth of the test time."""

from argon2 import PasswordHasher

from tertulia.domain.people import passwords

AS_SERVED = (passwords.HASHER, passwords.UNKNOWN_USER_HASH)


def use() -> None:
    """In this process, not in server processes."""
    passwords.HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    passwords.UNKNOWN_USER_HASH = passwords.HASHER.hash("nobody")
