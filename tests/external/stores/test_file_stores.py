"""Files outside of the database can be read at every moment, and none is lost."""

import hashlib
import io
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from PIL import Image
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.files import File, fetches, uploads
from tests.support.object_store import ObjectStore, files_below
from tests.support.people import Chat
from tests.support.pictures import picture
from tests.support.server import SECRET, Server
from tests.support.waiting import eventually

from tertulia import domain, storage
from tertulia.config import Config
from tertulia.external.stores import signing
from tertulia.external.stores.file_stores import FileStores
from tertulia.external.stores.signing import S3Key
from tertulia.transfer.backup import file_snapshot

MUCH = bytes(range(256)) * 1024 * 9 + b"the end"  # more than is fetched at a time
PHOTO = picture(size=(900, 700))
AWAY = "The server cannot reach its files right now. Please try again in a moment."


@pytest.fixture
def bucket(tmp_path) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path / "s3").open()
    yield store
    store.close()


def at(server: Server, **settings: Any) -> dict[str, str]:
    """What a command has to know."""
    found = server.settings | settings
    return {f"TERTULIA_{name.upper()}": str(value) for name, value in found.items()}


def runs(server: Server, *words: str, **settings: Any) -> CommandResult:
    terminal = Terminal(server.folder, server.url)
    return terminal.runs(*words, TERTULIA_SECRET=SECRET, **at(server, **settings))


def files_by_store(server: Server) -> dict[str, int]:
    found = server.read(0, storage.files.upload_locations.counts)
    return {location: files for location, (files, _) in found.items()}


def says_with(person, file: File) -> Any:
    return person.says(f"see {file.link}", to="kitchen > files")


def lives_in(chat: Chat, store_name: str, stored: Any) -> None:
    """Files come, are read, and go; `stored` tells which files the store has."""
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    much = uploads(ana, "tide.bin", MUCH, "application/octet-stream")
    photo = uploads(ana, "photo.png", PHOTO, "image/png")
    uploads(ana, "empty.txt", b"")
    message = says_with(ana, much)
    says_with(ana, photo)
    eventually(lambda: files_by_store(chat.server) == {store_name: 2, "database": 1})
    eventually(lambda: pieces(chat.server) == 0)

    assert fetches(ben, much).body == MUCH
    assert fetches(ben, much, Range="bytes=2000000-").body == MUCH[2_000_000:]
    small = ben.raw("GET", f"/user_uploads/thumbnail/{photo.path_id}/840x560.webp").body
    assert Image.open(io.BytesIO(small)).size == (720, 560)
    assert sorted(len(each.read_bytes()) for each in stored()) == sorted([len(MUCH), len(PHOTO)])
    assert runs(chat.server, "check").out.endswith("No problems found.\n")

    ana.delete(f"/messages/{message.id}").succeeds()
    eventually(lambda: len(stored()) == 1)
    assert fetches(ana, much).status == 404


def pieces(server: Server) -> int:
    return int(server.read(0, lambda tx: tx.value("SELECT count(*) AS value FROM upload_piece")))


@pytest.mark.on_one
def test_files_are_stored_in_a_folder(start_server):
    server = start_server(files="folder")
    folder = server.folder / "files"

    lives_in(Chat.found(server, ""), "folder", lambda: files_below(folder))


@pytest.mark.on_one
def test_files_are_stored_in_a_bucket(start_server, bucket):
    server = start_server(files="s3", **bucket.settings)

    lives_in(Chat.found(server, ""), "s3", lambda: bucket.files)


@pytest.mark.on_one
def test_an_unavailable_store_loses_no_file(start_server, bucket):
    server = start_server(files="s3", **bucket.settings)
    ana = Chat.found(server, "").person("ana")
    before = uploads(ana)
    eventually(lambda: files_by_store(server) == {"s3": 1})

    bucket.close()
    during = uploads(ana, "notes.txt", b"high tide")
    refused = fetches(ana, before)

    refused.fails(AWAY, code="SERVICE_UNAVAILABLE", status=503)
    assert fetches(ana, during).body == b"high tide"
    assert "ConnectError" in runs(server, "check").out
    backup = runs(server, "backup", str(server.folder / "backup.tar"))
    assert (backup.code, "ConnectError" in backup.err) == (1, True)
    bucket.open()
    eventually(lambda: files_by_store(server) == {"s3": 2})
    assert [fetches(ana, each).body for each in (before, during)] == [b"low tide", b"high tide"]
    assert "SignatureDoesNotMatch" in runs(server, "check", s3_secret="another").out


def test_files_are_moved_between_stores_while_they_are_read(start_server, bucket):
    server = start_server(**bucket.settings)
    ana = Chat.found(server, "").person("ana")
    files = [uploads(ana, f"{n}.bin", MUCH[n:], "application/octet-stream") for n in range(3)]
    wrong: list[int] = []
    is_over = threading.Event()

    def read_on() -> None:
        while not is_over.wait(0.05):
            wrong.extend(n for n, file in enumerate(files) if fetches(ana, file).body != MUCH[n:])

    reading = threading.Thread(target=read_on)
    reading.start()
    try:
        for folder in ("folder", "s3", "database"):
            result = runs(server, "files", "move", files=folder)
            assert (result.code, result.err.splitlines()[-1]) == (0, f"Moved 3 files to {folder}.")
    finally:
        is_over.set()
        reading.join()

    assert wrong == []
    assert bucket.files == []
    assert "database  3" in runs(server, "files", "show").out
    assert runs(server, "check").out.endswith("No problems found.\n")


@pytest.mark.on_one
def test_an_interrupted_move_continues_and_skips_damaged_files(start_server, bucket):
    server = start_server(**bucket.settings)
    ana = Chat.found(server, "").person("ana")
    files = [uploads(ana, f"{n}.txt", b"tide %d" % n) for n in range(3)]
    runs(server, "files", "move", files="s3")
    damaged = next(each for each in bucket.files if each.read_bytes() == b"tide 1")
    damaged.write_bytes(b"edit 1")

    bucket.close()
    interrupted = runs(server, "files", "move", files="folder")
    bucket.open()
    moved = runs(server, "files", "move", files="folder")

    assert (interrupted.code, moved.code) == (1, 1)
    assert "1 files are missing or damaged and not moved" in moved.err
    assert files_by_store(server) == {"folder": 2, "s3": 1}
    assert [fetches(ana, each).body for each in files] == [b"tide 0", b"edit 1", b"tide 2"]


@pytest.mark.on_one
def test_a_backup_contains_the_files_of_every_store(
    start_server, bucket, databases, kind, tmp_path
):
    server = start_server(files="s3", **bucket.settings)
    ana = Chat.found(server, "").person("ana")
    files = {n: uploads(ana, f"{n}.bin", MUCH[n:]) for n in range(2)}
    eventually(lambda: files_by_store(server) == {"s3": 2})

    saved = runs(server, "backup", str(tmp_path / "backup.tar"))
    there = Terminal(tmp_path / "there", databases.new(kind, untouched=True)[0])
    restored = there.runs("restore", str(tmp_path / "backup.tar"), TERTULIA_SECRET=SECRET)
    left = runs(server, "export", str(tmp_path / "export.tar.gz"), "--person", ana.email)
    server.stop()
    server.url, server.folder = there.data_options[-1], there.data
    server.settings = {}
    server.start()

    assert (saved.code, restored.code, left.code) == (0, 0, 0), saved.err + restored.err + left.err
    assert {n: fetches(ana, file).body for n, file in files.items()} == {0: MUCH, 1: MUCH[1:]}
    assert there.runs("check", TERTULIA_SECRET=SECRET).out.endswith("No problems found.\n")


@pytest.mark.on_one
def test_no_file_is_deleted_from_a_store_during_a_backup(start_server, tmp_path):
    server = start_server(files="folder")
    ana = Chat.found(server, "").person("ana")
    uploads(ana)
    eventually(lambda: files_by_store(server) == {"folder": 1})
    (attachment,) = ana.get("/attachments").succeeds()["attachments"]
    stores = FileStores(Config(data=server.folder, files="folder"))

    with file_snapshot.open_snapshot(server.database.blocking, stores) as files:
        (upload,) = server.read(0, storage.files.upload_locations.in_stores)
        ana.delete(f"/attachments/{attachment['id']}").succeeds()
        server.run_job("deleted files elsewhere")
        assert b"".join(files.pieces(upload)) == b"low tide"

    server.run_job("deleted files elsewhere")
    assert list(stores.store("folder").sizes()) == []


@pytest.mark.on_one
def test_a_discovery_names_damaged_files_and_contains_the_others(start_server, tmp_path):
    server = start_server(files="folder")
    ana = Chat.found(server, "").person("ana", channels=["kitchen"])
    files = [uploads(ana, f"{n}.txt", f"tide {n}".encode()) for n in range(3)]
    for file in files:
        says_with(ana, file)
    eventually(lambda: files_by_store(server) == {"folder": 3})
    stored = {
        path.read_text(): path for path in (server.folder / "files").rglob("*") if path.is_file()
    }
    stored["tide 0"].unlink()
    stored["tide 1"].write_text("edit 1")

    found = runs(server, "discover", str(tmp_path / "out"), "--reason", "x")

    assert found.code == 0, found.err
    assert [path.name for path in (tmp_path / "out" / "files").rglob("*.txt")] == ["2.txt"]
    described = json.loads((tmp_path / "out" / "discovery.json").read_text())
    damaged = [files[0].path_id, files[1].path_id]
    assert described["damaged_files"] == damaged
    assert (tmp_path / "out" / "missing-files.txt").read_text().split() == damaged


@pytest.mark.on_one
def test_orphaned_files_in_stores_are_found_and_deleted(start_server, bucket):
    server = start_server(files="s3", **bucket.settings)
    ana = Chat.found(server, "").person("ana")
    kept = uploads(ana)
    eventually(lambda: files_by_store(server) == {"s3": 1})
    store = FileStores(Config(data=server.folder, files="s3", **bucket.settings)).store("s3")
    ours, foreign = domain.files.upload_locations.new_name(1), "1/ab/accounts.txt"
    for each in (ours, foreign):
        store.put(each, io.BytesIO(b"tide"), 4, hashlib.sha256(b"tide").hexdigest())
    unfinished = server.folder / "files" / f"{ours}.part"
    unfinished.parent.mkdir(parents=True)
    unfinished.write_bytes(b"spring tide")

    checked = runs(server, "check")
    swept = runs(server, "files", "sweep", "--yes")

    assert "1 files in s3; 2 more that are not in the database" in checked.out
    assert checked.out.endswith("No problems found.\n")
    assert swept.err.endswith("Deleted 2 files of 15 bytes.\n")
    left = [name for name, _ in store.sizes()]
    assert (ours in left, foreign in left, unfinished.exists()) == (False, True, False)
    assert fetches(ana, kept).body == b"low tide"
    assert "not of this data" not in runs(server, "check").out


@pytest.mark.on_one
def test_files_of_erased_users_and_deleted_files_are_removed_from_stores(start_server):
    server = start_server(files="folder")
    chat = Chat.found(server, "")
    ana, ben = chat.people("ana", "ben")
    uploads(ana)
    uploads(ben, "notes.txt", b"high tide")
    eventually(lambda: files_by_store(server) == {"folder": 2})

    def stored() -> list[bytes]:
        return [
            each.read_bytes() for each in (server.folder / "files").rglob("*") if each.is_file()
        ]

    runs(server, "user", "erase", ana.email, "--messages", "delete", "--yes")
    assert stored() == [b"high tide"]
    runs(server, "org", "deactivate")
    runs(server, "org", "delete", "--yes")
    assert stored() == []


def test_a_store_without_its_settings_is_refused(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()

    result = terminal.runs("files", "move", TERTULIA_FILES="s3")

    assert result.err == "Error: files = s3 needs s3_bucket, s3_key_id and s3_secret.\n"


def test_requests_are_signed_as_in_the_s3_documentation():
    key = S3Key("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    url = "https://examplebucket.s3.amazonaws.com/test.txt"
    moment = datetime(2013, 5, 24, tzinfo=UTC)

    found = signing.headers(key, "GET", url, moment, extra_headers={"Range": "bytes=0-9"})

    signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    assert found["Authorization"].endswith(signature)
