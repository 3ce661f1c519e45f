"""What is erased leaves no trace: not in a table, not in the log, not in the index."""

import json
import re
from pathlib import Path

import pytest
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.files import fetches, uploads
from tests.support.people import Chat
from tests.support.pictures import picture, uploads_to
from tests.support.server import SECRET
from tests.support.waiting import eventually

from tertulia import storage
from tertulia.database.tx import Tx

LOG = {"event": {"payload": "text"}, "queue": {"options": "text"}}


def runs(chat: Chat, *words: str) -> CommandResult:
    terminal = Terminal(chat.server.folder, chat.server.url)
    return terminal.runs(*words, TERTULIA_SECRET=SECRET)


def traces(tx: Tx, *words: bytes) -> list[str]:
    """The tables in which one of these words is still found, in any column."""
    found = []
    for table, columns in (storage.table_copy.tables(tx) | LOG).items():
        for row in storage.table_copy.rows(tx, table, columns):
            values = [
                each.encode() if isinstance(each, str) else bytes(each)
                for each in row
                if isinstance(each, str | bytes)
            ]
            if any(word in value.lower() for word in words for value in values):
                found.append(table)
    return sorted(set(found))


def files_with(chat: Chat, *words: bytes) -> list[str]:
    """The files of a SQLite database that still hold one of these words, in any part."""
    if not chat.server.url.startswith("sqlite:///"):
        return []
    path = Path(chat.server.url.removeprefix("sqlite:///"))
    files = [path, path.with_name(f"{path.name}-wal")]
    held = {each.name: each.read_bytes().lower() for each in files if each.exists()}
    return [name for name, data in held.items() if any(word in data for word in words)]


def lives_here(zaphod) -> None:
    """Create data of a user in every table."""
    zaphod.says("xyzzy in the kitchen", to="kitchen > lunch")
    zaphod.says("xyzzy between us", to=[zaphod])
    for _ in range(3):  # more words than one transaction removes from the search index
        zaphod.says(" ".join(f"xyzzy{number}" for number in range(100)), to=[zaphod])
    notes = uploads(zaphod, "xyzzy.txt", b"xyzzy in a file")
    zaphod.says(f"xyzzy {notes.link}", to="kitchen > files")
    kitchen = zaphod.chat.channel("kitchen").id
    draft = {"type": "stream", "to": [kitchen], "topic": "", "content": "xyzzy in a draft"}
    zaphod.post("/drafts", drafts=[draft]).succeeds()
    zaphod.post("/saved_snippets", title="xyzzy", content="xyzzy").succeeds()
    zaphod.post("/users/me/status", status_text="xyzzy and gone").succeeds()
    zaphod.post("/users/me/alert_words", alert_words=["xyzzy"]).succeeds()
    zaphod.patch("/settings", full_name="Zaphod Xyzzy").succeeds()
    zaphod.post(
        "/scheduled_messages",
        type="channel",
        to=kitchen,
        topic="later",
        content="xyzzy later",
        scheduled_delivery_timestamp=int(zaphod.server.clock()) + 3600,
    ).succeeds()


def test_erasing_by_the_api_removes_the_words_from_all_files(own_chat):
    owner = own_chat.person("owner", role="owner")
    zaphod = own_chat.person("zaphod", channels=["kitchen"])
    lives_here(zaphod)
    own_chat.server.index_messages()

    erased = owner.post(f"/users/{zaphod.id}/erase", delete_messages=True).succeeds()

    assert erased["complete"]
    assert own_chat.read(traces, b"xyzzy") == []
    assert files_with(own_chat, b"xyzzy") == []


def test_erasing_a_user_removes_all_their_data(own_chat):
    own_chat.person("owner", role="owner")
    ana, zaphod = own_chat.people("ana", "zaphod", channels=["kitchen"])
    lives_here(zaphod)
    soup = ana.says("Soup's on", to="kitchen > lunch")
    zaphod.post(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    queue = ana.listens_for("message")
    own_chat.server.index_messages()
    assert "message" in own_chat.read(traces, b"xyzzy")
    if own_chat.server.url.startswith("sqlite"):
        assert any(name.endswith("-wal") for name in files_with(own_chat, b"xyzzy"))

    erase = ("user", "erase", zaphod.email, "--messages", "delete")
    assert re.search(r"and delete 6 messages, sent from \S+ to \S+\?", runs(own_chat, *erase).err)
    result = runs(own_chat, *erase, "--yes")

    assert "deleted 6 messages" in result.err
    assert own_chat.read(traces, b"xyzzy", b"zaphod") == []
    assert files_with(own_chat, b"xyzzy", b"zaphod") == []
    eventually(lambda: queue.poll(-1).json.get("code") == "BAD_EVENT_QUEUE_ID")
    assert zaphod.get("/users/me").status == 401
    assert ana.sees(soup)["reactions"] == []
    erased = ana.get(f"/users/{zaphod.id}").succeeds()["user"]
    assert (erased["full_name"], erased["is_active"]) == ("Erased user", False)
    assert erased["is_deleted"]
    assert runs(own_chat, "check").out.endswith("No problems found.\n")


def test_messages_of_an_erased_user_can_be_kept_anonymously(own_chat):
    own_chat.person("owner", role="owner")
    ana, zaphod = own_chat.people("ana", "zaphod", channels=["kitchen"])
    kept = zaphod.says("Bread is in the oven", to="kitchen > lunch")
    notes = uploads(zaphod, "notes.txt", b"flour, water")
    zaphod.says(f"See {notes.link}", to="kitchen > lunch")

    runs(own_chat, "user", "erase", zaphod.email, "--messages", "anonymous", "--yes")

    assert own_chat.read(traces, b"zaphod") == []
    eventually(lambda: ana.sees(kept)["sender_full_name"] == "Erased user")
    shown = ana.sees(kept)
    assert (shown["content"], shown["sender_full_name"]) == (
        "<p>Bread is in the oven</p>",
        "Erased user",
    )
    assert fetches(ana, notes).status == 404


def test_the_last_owner_cannot_be_erased(own_chat):
    owner = own_chat.person("owner", role="owner")

    refused = runs(own_chat, "user", "erase", owner.email, "--messages", "delete", "--yes")

    assert refused.err == "Error: Cannot deactivate the only organization owner.\n"
    owner.get("/users/me").succeeds()


def test_an_organization_is_deactivated_reactivated_and_deleted_while_the_server_runs(own_chat):
    server = own_chat.server
    other = Chat.found(server, "other")
    ana = own_chat.person("ana", channels=["kitchen"])
    zaphod = other.person("zaphod", channels=["xyzzy"])
    lives = zaphod.says("plugh", to="xyzzy > lunch")
    uploads(zaphod, "plugh.txt", b"plugh in a file")
    uploads_to(other.person("boss", role="admin"), "/realm/icon", picture()).succeeds()

    early = runs(own_chat, "org", "delete", "--org", "other", "--yes")
    runs(own_chat, "org", "deactivate", "--org", "other")
    eventually(lambda: "has been deactivated" in zaphod.get("/users/me").json["msg"])
    runs(own_chat, "org", "reactivate", "--org", "other")
    eventually(lambda: zaphod.get("/users/me").status == 200)
    runs(own_chat, "org", "deactivate", "--org", "other")
    gone = runs(own_chat, "org", "delete", "--org", "other", "--yes")

    assert early.err.startswith("Error: Only a closed organization can be deleted")
    assert gone.code == 0, gone.err
    assert own_chat.read(traces, b"xyzzy", b"zaphod", b"plugh") == []
    eventually(lambda: not server.has_loaded(other.realm.id))
    assert zaphod.get("/users/me").status == 401
    assert ana.says("Soup's on", to="kitchen > lunch").id > lives.id
    assert runs(own_chat, "check").out.endswith("No problems found.\n")


def test_deleting_an_organization_says_what_it_has_and_asks(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_tables()
    terminal.generates("--people", "3", "--channels", "2", "--messages", "40")
    terminal.runs("org", "deactivate")

    refused = terminal.runs("org", "delete", typing="n\n")

    assert refused.code == 1
    sentence = (
        r"has 3 accounts, \d+ files? \([\d,]+ bytes\) and 40 messages, sent from \S+ to \S+\."
        r" Delete all data for good\?"
    )
    assert re.search(sentence, refused.err), refused.err
    assert len(json.loads(terminal.runs("org", "list", "--json").out)) == 1
    assert terminal.runs("org", "delete", typing="y\n").code == 0


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [("delete", "delete 0 messages?"), ("anonymous", "keep 0 messages, without a name?")],
)
def test_erasing_a_user_asks_for_confirmation(tmp_path, choice, sentence):
    terminal = Terminal(tmp_path / "data").creates_organization()
    terminal.adds("ana")

    result = terminal.runs("user", "erase", "ana@example.com", "--messages", choice, typing="n\n")

    assert result.code == 1
    assert f"Erase Ana <ana@example.com> permanently, and {sentence}" in result.err
    assert "ana@example.com" in terminal.runs("user", "list").out
