"""Replacing the secret while the server runs."""

import contextlib

from tests.support.cli_runner import Terminal
from tests.support.waiting import eventually

from tertulia.config import Config
from tertulia.data_dir import find_secret, replace_secret
from tertulia.domain.people.keys import Vault


def test_rotating_the_secret_keeps_keys_valid(tmp_path):
    with contextlib.closing(Terminal(tmp_path / "data")) as terminal:
        server = terminal.serves()
        ana = terminal.adds("ana")
        server.eventually_answers(200, "/users/me", who=ana)
        before = find_secret(Config(data=terminal.data))

        result = terminal.runs("secret", "rotate")
        responses = [server.asks("GET", "/users/me", who=ana)[0] for _ in range(30)]

        assert result.code == 0, result.err
        assert result.err.startswith("Encrypted 1 keys with the new secret.")
        assert set(responses) == {200}
        assert find_secret(Config(data=terminal.data)) != before
        eventually(lambda: server.asks("GET", "/users/me", who=ana)[0] == 200)
        assert terminal.runs("check").out.endswith("No problems found.\n")
        assert (
            f"key={ana.partition(':')[2]}"
            in terminal.runs("user", "zuliprc", "ana@example.com").out
        )


def test_an_interrupted_rotation_restores_the_old_secret(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()
    ana = terminal.adds("ana")

    replace_secret(Config(data=terminal.data), b"a new secret that nothing is sealed with yet")

    result = terminal.runs_process("user", "zuliprc", "ana@example.com")
    assert result.out.startswith("[api]")
    assert f"key={ana.partition(':')[2]}" in result.out
    assert "server.secret_restored" in result.err
    assert terminal.runs("check").out.endswith("No problems found.\n")


def test_a_vault_accepts_both_secrets_during_a_rotation():
    present = b"the first secret of all"
    vault = Vault(present, lambda: present)
    known, sealed = vault.fingerprint("key"), vault.seal("key")

    present = b"the second secret of all"

    assert vault.other_fingerprints("key") == [Vault(present).fingerprint("key"), known]
    assert vault.unseal(sealed) == "key"
