"""Passwords: what may be chosen, and that nobody can tell who has one."""

import pytest

from tertulia.domain import passwords
from tertulia.errors import BadRequest


def test_nobody_costs_what_somebody_does():
    assert not passwords._HASHER.check_needs_rehash(passwords._NOBODY)


@pytest.mark.parametrize("length, allowed", [(7, False), (8, True), (100, True), (101, False)])
def test_a_password_is_neither_short_nor_endless(length, allowed):
    try:
        chosen = passwords.checked("x" * length)
    except BadRequest:
        chosen = None

    assert (chosen is not None) is allowed
