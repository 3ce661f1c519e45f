"""Passwords: which may be chosen, and that a login does not reveal accounts."""

import pytest
from tests.support import cheap_hashing

from tertulia import domain
from tertulia.errors import BadRequest


def test_checking_an_unknown_user_costs_the_same():
    hasher, unknown_hash = cheap_hashing.AS_SERVED

    assert hasher.memory_cost >= 19 * 1024
    assert not hasher.check_needs_rehash(unknown_hash)


@pytest.mark.parametrize("length, allowed", [(7, False), (8, True), (100, True), (101, False)])
def test_the_length_of_a_password_is_limited(length, allowed):
    try:
        chosen = domain.people.passwords.checked(("kqzwjx" * 20)[:length])
    except BadRequest:
        chosen = None

    assert (chosen is not None) is allowed


@pytest.mark.parametrize(
    "password, allowed",
    [
        ("password", False),
        ("password1", False),
        ("12345678", False),
        ("ana.garcia", False),
        ("open sesame", True),
        ("kqzwjxrv", True),
    ],
)
def test_guessable_passwords_are_refused(password, allowed):
    about = ["ana.garcia@example.com", "Ana Garcia"]

    assert (domain.people.passwords.guesses(password, about) >= 10_000) is allowed
