"""Who did what: administrative acts and logins, with their results and without anybody's words."""

import json
import re
from pathlib import Path

import pytest
from tests.support.terminal import Terminal

from tertulia import actions

DAY = 24
RUNNING = Path(__file__).parents[3] / "docs/running.md"


def entries(admin, **params):
    return admin.get("/realm/audit_log", **params).succeeds()["entries"]


def told(entry):
    return entry["act"], entry["actor_id"], entry["result"]


def test_an_act_is_noted_with_who_did_it_from_where_and_the_result(chat):
    owner, ben = chat.person("owner", role="owner"), chat.person("ben")

    owner.patch(f"/users/{ben.id}", role=300, full_name="Benjamin").succeeds()
    ben.patch("/realm", name="Mine now", enable_read_receipts=False)
    owner.delete(f"/users/{ben.id}").succeeds()

    ended, refused, changed = entries(owner, limit=3)
    assert told(changed) == (f"PATCH /users/{ben.id}", owner.id, "done")
    assert changed["address"] == "127.0.0.1"
    assert changed["details"] == {"role": "300", "full_name": None}
    assert told(refused) == ("PATCH /realm", ben.id, "UNAUTHORIZED_PRINCIPAL")
    assert told(ended) == (f"DELETE /users/{ben.id}", owner.id, "done")


def test_logins_are_noted_whether_they_succeed_or_not(chat):
    owner = chat.person("owner", role="owner", password="all the best wishes")
    log_in = {"username": owner.email, "password": "all the best wishes"}

    chat.stranger.post("/fetch_api_key", **log_in).succeeds()
    chat.stranger.post("/fetch_api_key", **log_in | {"password": "wrong"})
    chat.stranger.post("/fetch_api_key", **log_in | {"username": "nobody@example.com"})

    unknown, wrong, right = entries(owner)
    assert told(right) == ("login", owner.id, "done")
    assert right["details"] == {"method": "Email"}
    assert told(wrong) == ("login", owner.id, "AUTHENTICATION_FAILED")
    assert told(unknown) == ("login", None, "AUTHENTICATION_FAILED")


def test_what_changes_nothing_for_others_is_not_noted(chat):
    owner = chat.person("owner", role="owner", channels=["kitchen"])

    owner.says("Soup's on", to="kitchen > lunch")
    owner.get("/users").succeeds()

    assert entries(owner) == []


def test_nothing_that_somebody_wrote_is_in_it(chat):
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    kitchen = chat.channel("kitchen").id

    owner.patch(f"/streams/{kitchen}", description="xyzzy").succeeds()
    owner.post("/realm/domains", domain="xyzzy.example.com", allow_subdomains=True).succeeds()
    owner.patch("/users/xyzzy@example.com", full_name="Xyzzy")

    noted = json.dumps(entries(owner)).lower()
    assert "patch /users/{email}" in noted
    assert "xyzzy" not in noted


def test_only_administrators_read_it_and_page_by_page(chat):
    owner, ben = chat.person("owner", role="owner"), chat.person("ben")
    for minutes in (1, 2, 3):
        owner.patch("/realm", message_content_edit_limit_seconds=60 * minutes).succeeds()

    newest, middle = entries(owner, limit=2)
    (oldest,) = entries(owner, before=middle["id"])

    assert newest["id"] > middle["id"] > oldest["id"]
    assert oldest["details"] == {"message_content_edit_limit_seconds": "60"}
    ben.get("/realm/audit_log").fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )


def test_it_is_kept_for_as_long_as_the_server_is_told_to(chat):
    owner = chat.person("owner", role="owner")
    owner.patch("/realm", message_content_edit_limit_seconds=60).succeeds()

    chat.server.clock.move(hours=30 * DAY)
    chat.write(actions.organization.audit.forget_old, 31)
    kept = entries(owner)
    chat.write(actions.organization.audit.forget_old, 29)

    assert (len(kept), entries(owner)) == (1, [])


def test_an_act_that_is_undone_leaves_no_entry_that_says_done(chat):
    owner = chat.person("owner", role="owner")

    owner.delete(f"/users/{owner.id}")

    assert [each["result"] for each in entries(owner)] == ["CANNOT_DEACTIVATE_LAST_USER"]


@pytest.mark.on_one
def test_commands_are_noted_too(tmp_path):
    terminal = Terminal(tmp_path / "data").founds()
    terminal.adds("ana")
    terminal.runs("user", "role", "ana@example.com", "owner")

    noted = json.loads(terminal.runs("audit", "--json").out)

    assert [each["act"] for each in noted] == ["user role", "user add", "org create"]
    assert noted[0]["details"] == {"numbers": [2, 100]}
    assert noted[0]["address"].startswith("command line, ")
    assert "user role" in terminal.runs("audit", "--last", "1").out


def as_text(line: str) -> str:
    """Another test in this process may have asked for lines that programs read."""
    if not line.startswith("{"):
        return line
    told = json.loads(line)
    told.pop("level")
    return f"{told.pop('event')} " + " ".join(f"{key}={told[key]}" for key in sorted(told))


def test_the_log_says_who_asked_for_what_and_from_where(chat, capfd):
    owner, ben = chat.person("owner", role="owner"), chat.person("ben")
    capfd.readouterr()

    owner.delete(f"/users/{ben.id}").succeeds()
    owner.delete("/users/999999999")
    chat.stranger.post("/fetch_api_key", username=owner.email, password="wrong")

    done, refused, failed, _ = map(as_text, "".join(capfd.readouterr()).splitlines())
    assert f"path=/users/{ben.id} user={owner.id}" in done
    assert "done" in done
    assert "address=127.0.0.1" in done
    assert "path=/users/999999999" in refused
    assert "login failed" in failed
    assert f"address=127.0.0.1 code=AUTHENTICATION_FAILED user={owner.id}" in failed
    pattern = re.search("failregex = (.*)", RUNNING.read_text())
    assert pattern is not None
    assert re.search(pattern[1].replace("<HOST>", r"127\.0\.0\.1"), failed)
    assert not re.search(pattern[1].replace("<HOST>", r"127\.0\.0\.1"), refused)
