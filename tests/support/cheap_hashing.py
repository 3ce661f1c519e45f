"""Passwords that are hashed in no time: a tenth of what the tests take would be guessing slowly."""

from argon2 import PasswordHasher

from tertulia.domain.people import passwords

AS_SERVED = (passwords.HASHER, passwords.NOBODY)


def use() -> None:
    """Here, not in servers that are processes of their own."""
    passwords.HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    passwords.NOBODY = passwords.HASHER.hash("nobody")
