"""Logins under way: their stored hashes survive a change of the names in the code."""

from types import SimpleNamespace
from typing import Any

import pytest

from tertulia.domain.people.keys import Vault
from tertulia.web import login_state
from tertulia.web.login_state import LoginState
from tertulia.web.second_factor_step import PendingSecondFactor


@pytest.mark.on_one
@pytest.mark.parametrize(
    "kind, stored_name", [(LoginState, "Luggage"), (PendingSecondFactor, "WaitingLogin")]
)
def test_a_pending_login_survives_an_upgrade(kind: Any, stored_name: str):
    call: Any = SimpleNamespace(vault=Vault(b"a secret for tests only"))

    found = login_state._state_hash(call, "a state", kind)

    assert found == call.vault.fingerprint(f"login state {stored_name} a state")
