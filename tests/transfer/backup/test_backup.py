"""A backup holds everything, and what was restored is never taken for what it was not."""

import fcntl
import json
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from tests.support.cli_runner import CommandResult, Terminal, clean_environment
from tests.support.databases import Databases, Kind
from tests.support.files import uploads
from tests.support.forkserver import COMMAND
from tests.support.pictures import picture, uploads_to
from tests.support.server import SECRET
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import actions, data_dir, storage
from tertulia.config import Config
from tertulia.database import BlockingDatabase, schema
from tertulia.database.tx import Tx
from tertulia.external.stores.file_stores import FileStores
from tertulia.transfer.backup import archives, contents
from tertulia.transfer.backup.file_snapshot import FileSnapshot

OTHER: dict[Kind, Kind] = {"sqlite": "postgres", "postgres": "sqlite"}


def copies_to(file: Path, folder: Path, url: str, *flags: str) -> CommandResult:
    return Terminal(folder, url).runs("backup", str(file), *flags, TERTULIA_SECRET=SECRET)


@pytest.mark.postgres
def test_clients_reconnect_after_a_restore_on_the_other_database(
    own_chat, kind, databases, tmp_path
):
    server = own_chat.server
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    notes = uploads(ana, "notes.txt", b"salt, pepper")
    kept = ana.says(f"Soup's on, see {notes.link}", to="kitchen > lunch")
    boss = own_chat.person("boss", role="admin")
    icon = uploads_to(boss, "/realm/icon", picture()).succeeds()["icon_url"]
    shown = icon.removeprefix(f"http://{own_chat.host}")
    drawn = own_chat.stranger.raw("GET", shown).body
    queue = ben.listens_for("message")
    file = tmp_path / "backup.tar"
    taken = copies_to(file, server.folder, server.url)
    lost = [ana.says(f"after the copy {n}", to="kitchen > lunch").id for n in range(3)]
    assert len(queue.all()) == 3

    server.stop()
    server.url, server.folder = databases.new(OTHER[kind], untouched=True)
    terminal = Terminal(server.folder, server.url)
    restored = terminal.runs("restore", str(file), TERTULIA_SECRET=SECRET)
    server.start()

    assert (taken.code, restored.code) == (0, 0), restored.err
    queue.poll(-1).fails(f"Bad event queue ID: {queue.queue_id}", code="BAD_EVENT_QUEUE_ID")
    again = ben.listens_for("message")
    new = ana.says("Who is hungry?", to="kitchen > lunch")
    assert new.id > lost[-1] + 1_000_000
    (event,) = again.poll(-1).succeeds()["events"]
    assert event["message"]["id"] == new.id
    assert event["id"] > 1_000_000 << 20
    assert ben.sees(kept.id)["content"] == ana.sees(kept.id)["content"]
    assert ben.raw("GET", notes.url).body == b"salt, pepper"
    assert ben.registers(fetch_event_types=["realm"])["realm_icon_url"].endswith(shown)
    assert own_chat.stranger.raw("GET", shown).body == drawn
    found = ben.get(
        "/messages",
        anchor="newest",
        num_before=10,
        num_after=0,
        narrow=json.dumps([{"operator": "search", "operand": "soup"}]),
    ).succeeds()
    assert [each["id"] for each in found["messages"]] == [kept.id]
    assert terminal.runs("check", TERTULIA_SECRET=SECRET).out.endswith("No problems found.\n")


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "data").creates_organization()


def test_a_backup_file_is_private_and_overwrites_no_file(terminal, tmp_path):
    file = tmp_path / "backup.tar"

    terminal.runs("backup", str(file))
    again = terminal.runs("backup", str(file))

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (again.code, again.err) == (1, f"Error: {file} already exists.\n")


def test_a_backup_to_a_missing_folder_names_the_folder(terminal, tmp_path):
    terminal.adds("ana")

    result = terminal.runs("backup", str(tmp_path / "disk" / "chat.tar"))

    assert (result.code, result.err) == (1, f"Error: The folder {tmp_path}/disk does not exist.\n")
    assert not (tmp_path / "disk").exists()


def test_a_backup_contains_the_secret_only_on_request(terminal, tmp_path):
    secret = (
        terminal.runs("user", "add", "ana@example.com", "--name", "Ana")
        and (terminal.data / "secret").read_bytes().strip()
    )

    terminal.runs("backup", str(tmp_path / "without.tar"))
    terminal.runs("backup", str(tmp_path / "with.tar"), "--with-secret")

    assert secret not in (tmp_path / "without.tar").read_bytes()
    assert secret in (tmp_path / "with.tar").read_bytes()


def test_a_backup_with_the_secret_keeps_all_keys(terminal, tmp_path):
    ana = terminal.adds("ana")
    terminal.runs("backup", str(tmp_path / "backup.tar"), "--with-secret")

    there = Terminal(tmp_path / "there")
    there.runs("restore", str(tmp_path / "backup.tar"))
    elsewhere = Terminal(tmp_path / "elsewhere")
    own_secret = {"TERTULIA_SECRET": "a secret of one's own, and a long one"}
    result = elsewhere.runs("restore", str(tmp_path / "backup.tar"), **own_secret)

    key = f"key={ana.partition(':')[2]}\n"
    assert key in there.runs("user", "zuliprc", "ana@example.com").out
    assert key in elsewhere.runs("user", "zuliprc", "ana@example.com", **own_secret).out
    assert "API keys are new" not in result.err
    noted = json.loads(there.runs("audit", "--json").out)
    assert [each["act"] for each in noted] == ["user zuliprc", "restore", "user add", "org create"]


def test_a_backup_is_in_the_audit_log_of_every_organization(terminal, tmp_path):
    terminal.adds("ana")
    terminal.runs("org", "create", "Other", "--subdomain", "other")

    terminal.runs("backup", str(tmp_path / "with.tar"), "--with-secret")
    terminal.runs("backup", str(tmp_path / "dated.tar"), "--keep", "1")
    refused = terminal.runs("backup", str(tmp_path / "with.tar"))

    assert refused.code == 1
    for org in ("", "other"):
        noted = json.loads(terminal.runs("audit", "--json", "--last", "2", "--org", org).out)
        found = [("backup", {}), ("backup", {"with_secret": None})]
        assert [(each["act"], each["details"]) for each in noted] == found
        assert noted[0]["address"].startswith("command line, ")


@pytest.mark.postgres
def test_a_read_only_database_can_be_backed_up(databases, tmp_path):
    url, folder = databases.new("postgres", untouched=True)
    terminal = Terminal(folder, url).creates_organization()
    BlockingDatabase.at(url).of(0).write(only_read)

    result = terminal.runs("backup", str(tmp_path / "backup.tar"))

    assert result.code == 0
    assert "The audit log has no entry for this backup. The database cannot be used:" in result.err
    assert Terminal(tmp_path / "there").runs("restore", str(tmp_path / "backup.tar")).code == 0


def only_read(tx: Tx) -> None:
    name = tx.value("SELECT current_database() AS value")
    tx.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')


def test_a_restore_without_the_secret_creates_new_keys_and_says_so(terminal, tmp_path):
    ana = terminal.adds("ana")
    terminal.runs("backup", str(tmp_path / "backup.tar"))

    there = Terminal(tmp_path / "there")
    result = there.runs("restore", str(tmp_path / "backup.tar"))

    assert "so all 1 API keys are new" in result.err
    zuliprc = there.runs("user", "zuliprc", "ana@example.com").out
    assert "key=" in zuliprc
    assert f"key={ana.partition(':')[2]}\n" not in zuliprc
    assert there.runs("check").out.endswith("No problems found.\n")


def abort(data: bytes) -> bytes:
    return data[: len(data) // 2]


def cut_at_a_block(data: bytes) -> bytes:
    filled = len(data.rstrip(b"\0")) // 512
    return data[: (filled - 1) * 512]


def changed(data: bytes) -> bytes:
    location = data.index(b"rows/account") + 600
    return data[:location] + bytes([data[location] ^ 1]) + data[location + 1 :]


def changed_at_the_beginning(data: bytes) -> bytes:
    return data.replace(b'"account":', b'"accounu":')


def garbled_at_the_beginning(data: bytes) -> bytes:
    return data.replace(b'"account":', b'"accoun\xf4":')


def something_else(data: bytes) -> bytes:
    return b"I am a shopping list. " * 100


@pytest.mark.parametrize(
    "meddle",
    [
        abort,
        cut_at_a_block,
        changed,
        changed_at_the_beginning,
        garbled_at_the_beginning,
        something_else,
    ],
)
def test_a_truncated_backup_is_refused_and_creates_nothing(terminal, tmp_path, meddle):
    terminal.adds("ana")
    file, there = tmp_path / "backup.tar", Terminal(tmp_path / "there")
    terminal.runs("backup", str(file))
    file.write_bytes(meddle(file.read_bytes()))

    refused = there.runs("restore", str(file))

    assert (refused.code, refused.err) == (1, f"Error: {file} is not a complete backup.\n")
    assert not there.data.exists()


def test_a_restore_never_overwrites_data(terminal, tmp_path):
    terminal.runs("backup", str(tmp_path / "backup.tar"))

    refused = terminal.runs("restore", str(tmp_path / "backup.tar"))

    assert refused.code == 1
    assert refused.err.endswith("already; choose an empty target.\n")


def test_a_failed_restore_leaves_an_empty_folder(terminal, tmp_path):
    terminal.adds("ana")
    terminal.runs("backup", str(tmp_path / "backup.tar"))
    there = Terminal(tmp_path / "there")

    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "secret").write_text("short")
    refused = there.runs("restore", str(tmp_path / "backup.tar"))

    assert refused.err.endswith("does not hold a secret.\n")
    assert not list(there.data.glob("tertulia.db*[!k]"))


def test_only_old_dated_backups_are_deleted(terminal, tmp_path):
    (tmp_path / "chat-20200101-000000.tar").touch()
    (tmp_path / "chat-20200102-000000.tar").touch()
    (tmp_path / "chat-of-old.tar").touch()
    (tmp_path / "chat-20200103-000000.tar.part").touch()  # of a process that was killed
    with (tmp_path / "chat-20200104-000000.tar.part").open("w") as of_another:
        fcntl.flock(of_another, fcntl.LOCK_EX)

        terminal.runs("backup", str(tmp_path / "chat.tar"), "--keep", "2")

    oldest, halved, _, spared = sorted(each.name for each in tmp_path.glob("chat-*"))
    assert oldest == "chat-20200102-000000.tar"
    assert halved == "chat-20200104-000000.tar.part"
    assert spared == "chat-of-old.tar"


def test_a_backup_file_being_written_is_not_used_by_another_process(terminal, tmp_path):
    with (tmp_path / "chat.tar.part").open("w") as of_another:
        fcntl.flock(of_another, fcntl.LOCK_EX)

        refused = terminal.runs("backup", str(tmp_path / "chat.tar"))

    assert refused.err.endswith("chat.tar.part is being written by another process.\n")
    assert terminal.runs("backup", str(tmp_path / "chat.tar")).code == 0


def test_a_schedule_continues_after_a_failure_and_leaves_no_partial_file(terminal, tmp_path):
    file = tmp_path / "copies" / "chat.tar"
    words = ["backup", str(file), "--every", "1m", "--keep", "2", *terminal.data_options]
    with subprocess.Popen(
        [COMMAND, *words], stderr=subprocess.PIPE, text=True, env=clean_environment()
    ) as schedule:
        assert schedule.stderr is not None
        text = schedule.stderr.readline()
        schedule.terminate()
        ended = schedule.wait(TIMEOUT_SECONDS)

    assert text == f"Backup failed: The folder {file.parent} does not exist.\n"
    assert ended == 128 + signal.SIGTERM
    mistaken = Terminal(tmp_path / "nowhere").runs(*words[:6])
    assert mistaken.err == f"Error: There is no Tertulia data in {tmp_path / 'nowhere'}.\n"


def test_a_backup_of_an_older_schema_is_migrated(tmp_path):
    old = BlockingDatabase.at(f"sqlite:///{tmp_path / 'old.db'}")
    connection = old.dialect.connect()
    old.dialect.begin_write(connection)
    schema.apply(connection, old.dialect, schema.as_of([schema.OF_0_3]))
    connection.execute(
        "INSERT INTO realm (id, subdomain, name, uuid, created_at) VALUES (1, '', 'Old', 'uuid', 0)"
    )
    connection.execute("INSERT INTO log_head (realm_id, seq) VALUES (1, 0)")
    connection.execute("COMMIT")
    folder = ["--database", f"sqlite:///{tmp_path / 'old.db'}"]
    there = Terminal(tmp_path / "data")
    there.runs("backup", str(tmp_path / "old.tar"), *folder)
    assert "not checked: the schema is out of date" in there.runs("check", *folder).out

    new = Terminal(tmp_path / "new")
    result = new.runs("restore", str(tmp_path / "old.tar"))

    assert result.code == 0, result.err
    assert "Old" in new.runs("org", "list").out


@pytest.mark.postgres
def test_data_moves_between_sqlite_and_postgresql_while_no_server_runs(databases, tmp_path):
    here = Terminal(tmp_path / "data").creates_organization()
    here.adds("ana")
    url, _ = databases.new("postgres", untouched=True)
    there = Terminal(tmp_path / "data", url)

    server = here.serves()
    refused = here.runs("move", "--to", url)
    server.stops()
    nowhere = here.runs("move", "--to", f"sqlite:///{tmp_path}/data/../data/tertulia.db")
    moved = here.runs("move", "--to", url)
    (tmp_path / "data-0.out").unlink()  # what the first server said
    serving = there.serves()
    serving.eventually_answers(200, "/server_settings", who="")  # it is at work on its database
    back = there.runs("move", "--to", f"sqlite:///{tmp_path / 'back.db'}")
    there.close()
    home = there.runs("move", "--to", f"sqlite:///{tmp_path / 'new' / 'back.db'}")

    assert "Another Tertulia server is running" in refused.err
    assert "--to names the current database." in nowhere.err
    assert home.code == 0, home.err
    assert moved.code == 0, moved.err
    assert here.runs("user", "list").out == there.runs("user", "list").out
    assert there.runs("check").out.endswith("No problems found.\n")
    assert serving.process.returncode is not None
    assert back.err == "Error: Another Tertulia works on this database; please stop it first.\n"


def test_both_databases_have_the_same_tables_to_copy(databases: Databases):
    def shape(kind: Kind) -> dict[str, list[str]]:
        database = BlockingDatabase.at(databases.new(kind)[0])
        database.migrate()
        tables = database.of(0).read(storage.table_copy.tables)
        return {name: sorted(columns) for name, columns in tables.items()}

    assert shape("sqlite") == shape("postgres")


def test_few_rows_are_in_memory_however_large_they_are():
    one = (1, "x" * 300_000)

    sizes = [len(block) for block in contents.in_blocks(iter([one] * 100))]
    many = [len(block) for block in contents.in_blocks(iter([(1,)] * 12_000))]

    assert max(sizes) == 4
    assert many == [5_000, 5_000, 2_000]


def test_a_backup_is_one_snapshot(terminal, tmp_path):
    """While it is written, others write on."""
    database = BlockingDatabase.at(f"sqlite:///{terminal.data / 'tertulia.db'}")
    file = tmp_path / "backup.tar"

    def take(tx: Tx) -> None:
        files = FileSnapshot(database, FileStores(Config()), None)
        copy = contents.LiveCopy(tx, files)
        archives.write(copy, file, None, lambda done: terminal.adds(f"p{done}") and None)

    database.of(0).read(take)

    there = Terminal(tmp_path / "there")
    there.runs("restore", str(file))
    assert there.runs("user", "list").out.splitlines()[1:] == []
    assert len(terminal.runs("user", "list").out.splitlines()) > 2


def test_no_server_starts_where_a_restore_was_interrupted(terminal, kind, databases, tmp_path):
    terminal.creates_organization().adds("ana")
    file = tmp_path / "backup.tar"
    assert terminal.runs("backup", str(file), "--with-secret").code == 0
    url, folder = databases.new(kind, untouched=True)
    path = Terminal(folder, url)
    folder.mkdir(parents=True, exist_ok=True)
    with pytest.raises(RuntimeError), data_dir.marked_restore(Config(data=folder)):
        raise RuntimeError("the power fails here")

    refused = path.runs_process("serve", "--port", "0")
    founded = path.runs("org", "create", "Another")
    restored = path.runs("restore", str(file))

    for result in (refused, founded):
        assert result.code == 1
        assert "was not finished. Please run `tertulia restore` again" in result.err
    assert restored.code == 0, restored.err
    assert [each["email"] for each in json.loads(path.runs("user", "list", "--json").out)] == [
        "ana@example.com"
    ]
    assert "Another" not in path.runs("org", "list").out


def test_a_partial_database_of_an_interrupted_restore_is_refused(tmp_path):
    folder = Terminal(tmp_path / "data")
    folder.data.mkdir()
    (folder.data / "tertulia.db.part").write_bytes(b"half")

    refused = folder.runs_process("serve", "--port", "0")

    assert refused.code == 1
    assert "tertulia.db.part to start with nothing" in refused.err
    assert not (folder.data / "tertulia.db").exists()


def test_the_last_backup_and_a_failure_after_it_are_in_the_status(terminal, tmp_path):
    database = data_dir.find_database(Config(data=terminal.data))

    def noted():
        return database.of(0).read(actions.server_status.read).backup

    assert noted() is None
    file = tmp_path / "one.tar"
    assert terminal.runs("backup", str(file)).code == 0
    assert (noted().bytes, noted().failed_at) == (file.stat().st_size, None)

    refused = terminal.runs("backup", str(tmp_path / "no-such-folder" / "two.tar"))
    assert refused.code == 1
    assert noted().bytes == file.stat().st_size
    assert noted().failed_at >= noted().at
    assert noted().reason

    assert terminal.runs("backup", str(tmp_path / "three.tar")).code == 0
    assert noted().failed_at is None
