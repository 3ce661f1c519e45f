"""The command line: what each command does, and how it says what is wrong."""

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from tests.support.cli_runner import Terminal
from tests.support.databases import Databases, Kind

from tertulia import domain, storage
from tertulia.cli import main
from tertulia.cli.command_group import summary
from tertulia.cli.commands import COMMANDS, ORG_COMMANDS, USER_COMMANDS, org, user
from tertulia.config import Config
from tertulia.data_dir import load_vault
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import MediaInfo
from tertulia.domain.organization.settings import SETTINGS

FIRST = 1  # the id of the first organization


@pytest.fixture
def new_terminal(tmp_path: Path) -> Terminal:
    """A terminal where there is no data yet."""
    return Terminal(tmp_path / "data")


@pytest.fixture
def terminal(new_terminal: Terminal) -> Terminal:
    return new_terminal.creates_organization()


@pytest.fixture
def either_terminal(kind: Kind, databases: Databases) -> Terminal:
    """A terminal for the scenes that are played on both databases; there is no data yet."""
    url, folder = databases.new(kind)
    return Terminal(folder, url)


def database_of(terminal: Terminal) -> BlockingDatabase:
    return BlockingDatabase.at(Config(data=terminal.data).database_url)


# --- people ---


def test_a_user_can_be_added_before_the_first_start(either_terminal):
    either_terminal.creates_organization()

    result = either_terminal.runs(
        "user", "add", "ana@example.com", "--name", "Ana", "--role", "owner", "--json"
    )

    ana = json.loads(result.out)
    assert {**ana, "api_key": "…", "password_link": "…"} == {
        "user_id": ana["user_id"],
        "email": "ana@example.com",
        "role": "owner",
        "api_key": "…",
        "password_link": "…",
    }
    zuliprc = either_terminal.runs("user", "zuliprc", "ANA@example.com").out
    assert zuliprc == (
        f"[api]\nemail=ana@example.com\nkey={ana['api_key']}\nsite=http://127.0.0.1:9009\n"
    )


def test_without_json_only_the_key_is_on_stdout(terminal):
    result = terminal.runs("user", "add", "ana@example.com", "--name", "Ana")

    assert len(result.out.strip()) == 32
    first, link, last = result.err.splitlines()
    assert (first, last) == ("Added Ana <ana@example.com>, member.", "The API key:")
    assert "/accounts/password/reset/" in link


def test_a_password_is_read_from_the_first_line(terminal):
    add = ["user", "add", "ana@example.com", "--name", "Ana", "--password-stdin", "--json"]
    added = terminal.runs(*add, typing="all the best wishes\nand more\n")

    user_id = json.loads(added.out)["user_id"]
    stored = database_of(terminal).of(FIRST).read(storage.people.users.password_hash, user_id)
    assert domain.people.passwords.matches("all the best wishes", stored)


def test_a_user_without_password_has_no_password_hash(terminal):
    terminal.adds("ana")

    stored = database_of(terminal).of(FIRST).read(storage.people.users.password_hash, 2)

    assert stored is None


@pytest.mark.parametrize(
    "flags, sentence",
    [
        (["not an address", "--name", "B"], "Enter a valid email address."),
        (["ANA@example.com", "--name", "B"], "Email is already in use."),
        (["b@example.com", "--name", "  "], "Name must not be empty!"),
        (["b@example.com", "--name", "B*"], "Invalid characters in name!"),
        (["b@example.com", "--name", "B" * 101], "Name too long!"),
        (["b@example.com", "--name", "B", "--password", "7 chars"], "at least 8 characters."),
        (["b@example.com", "--name", "B", "--password", "x" * 101], "at most 100 characters."),
        (["\udcff@example.com", "--name", "B"], "Enter a valid email address."),
        (["b@example.com", "--name", "B", "--password", "tide \udcff at nine"], "not valid UTF-8."),
        (
            ["b@example.com", "--name", "B", "--bot", "generic", "--owner", "zoe@example.com"],
            "The owner of a bot must be an active person: zoe@example.com",
        ),
        (
            ["b@example.com", "--name", "B", "--org", "moon"],
            "No organization has the subdomain 'moon'; the subdomains are: ''.",
        ),
    ],
)
def test_an_invalid_account_is_refused_in_one_line(terminal, flags, sentence):
    terminal.adds("ana")

    refused = terminal.runs("user", "add", *flags)

    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("Error: ")
    assert refused.err.endswith(f"{sentence}\n")
    assert len(refused.err.splitlines()) == 1


@pytest.mark.parametrize(
    "flags, sentence",
    [
        (["--bot", "generic"], "--bot and --owner go together."),
        (["--owner", "ana@example.com"], "--bot and --owner go together."),
        (
            ["--bot", "generic", "--owner", "ana@example.com", "--password", "x" * 9],
            "A bot logs in with its API key and has no password.",
        ),
        (["--password", "x" * 9, "--password-stdin"], "exclude each other."),
        (["--role", "king"], "'king' is not one of"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(terminal, flags, sentence):
    refused = terminal.runs("user", "add", "b@example.com", "--name", "B", *flags)

    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err


def test_user_list_shows_all_users_except_system_bots(terminal):
    terminal.adds("ana", "--role", "owner")
    terminal.adds("echo", "--bot", "incoming-webhook", "--owner", "ana@example.com")
    terminal.adds("zoe", "--role", "guest")
    terminal.runs("user", "deactivate", "zoe@example.com")

    assert terminal.runs("user", "list").out == (
        "ID  EMAIL             NAME  ROLE\n"
        "2   ana@example.com   Ana   owner\n"
        "3   echo@example.com  Echo  member, bot\n"
        "4   zoe@example.com   Zoe   guest, deactivated\n"
    )
    listed = json.loads(terminal.runs("user", "list", "--json").out)
    assert [(each["is_bot"], each["is_active"]) for each in listed] == [
        (False, True),
        (True, True),
        (False, False),
    ]


def test_a_password_can_be_set_later(terminal):
    terminal.adds("ana")

    result = terminal.runs("user", "password", "ana@example.com", typing="soup and bread\n")
    short = terminal.runs("user", "password", "ana@example.com", typing="soup\n")

    assert (result.code, result.err) == (0, "Ana <ana@example.com> has a new password.\n")
    assert (short.code, short.err) == (1, "Error: A password has at least 8 characters.\n")
    ana = (
        database_of(terminal).of(FIRST).read(storage.people.users.find_by_email, "ana@example.com")
    )
    assert ana is not None
    known = database_of(terminal).of(FIRST).read(storage.people.users.password_hash, ana.id)
    assert domain.people.passwords.matches("soup and bread", known)
    piped = ["user", "password", "ana@example.com", "--password-stdin"]
    assert terminal.runs(*piped, typing="bread and soup\nsecond line\n").code == 0
    known = database_of(terminal).of(FIRST).read(storage.people.users.password_hash, ana.id)
    assert domain.people.passwords.matches("bread and soup", known)


def test_a_bot_gets_no_password(terminal):
    terminal.adds("ana")
    terminal.adds("echo", "--bot", "generic", "--owner", "ana@example.com")

    refused = terminal.runs("user", "password", "echo@example.com", typing="soup and bread\n")

    assert (refused.code, refused.out) == (2, "")
    assert "A bot logs in with its API key and has no password." in refused.err


def test_reset_key_creates_a_new_key(terminal):
    old = terminal.adds("ana").partition(":")[2]

    new = terminal.runs("user", "reset-key", "ana@example.com").out.strip()

    assert new != old
    assert f"key={new}\n" in terminal.runs("user", "zuliprc", "ana@example.com").out
    vault = load_vault(Config(data=terminal.data))
    assert vault is not None
    known = database_of(terminal).of(FIRST).read(storage.people.users.fingerprints)
    assert vault.fingerprint(new) in known.values()


@pytest.mark.parametrize("command", ["deactivate", "password", "reset-key", "zuliprc"])
@pytest.mark.parametrize("email", ["zoe@example.com", "notification-bot@tertulia.invalid"])
def test_unknown_users_are_refused(terminal, command, email):
    refused = terminal.runs("user", command, email)

    assert (refused.code, refused.err) == (1, f"Error: Tertulia has no account {email}.\n")


def test_the_only_owner_cannot_be_removed(terminal):
    terminal.adds("ana", "--role", "owner")

    refused = terminal.runs("user", "deactivate", "ana@example.com")
    unchanged = terminal.runs("user", "role", "ana@example.com", "member")

    assert (refused.code, refused.err) == (
        1,
        "Error: Cannot deactivate the only organization owner.\n",
    )
    only = "The owner permission cannot be removed from the only organization owner."
    assert (unchanged.code, unchanged.err) == (1, f"Error: {only}\n")


def test_a_reactivated_bot_of_a_deactivated_owner_gets_a_new_key(terminal):
    terminal.adds("ana")
    _, key = terminal.adds("echo", "--bot", "generic", "--owner", "ana@example.com").split(":")
    for email in ("echo@example.com", "ana@example.com"):
        terminal.runs("user", "deactivate", email)

    result = terminal.runs("user", "reactivate", "echo@example.com")

    because = "It has a new API key, because its owner is deactivated."
    assert result.err == f"Reactivated Echo <echo@example.com>. {because}\n"
    assert key not in terminal.runs("user", "zuliprc", "echo@example.com").out


def test_roles_are_changed_and_accounts_reactivated(terminal):
    terminal.adds("zoe")
    terminal.runs("user", "role", "zoe@example.com", "moderator")
    terminal.runs("user", "deactivate", "zoe@example.com")

    result = terminal.runs("user", "reactivate", "zoe@example.com")

    assert result.err == "Reactivated Zoe <zoe@example.com>.\n"
    assert terminal.runs("user", "list").out.endswith("Zoe   moderator\n")


@pytest.mark.parametrize(
    "settings, org, site",
    [
        ({}, "", "http://127.0.0.1:9009"),
        ({}, "moon", "http://moon.localhost:9009"),
        ({"TERTULIA_HOST": "0.0.0.0", "TERTULIA_PORT": "80"}, "", "http://127.0.0.1:80"),
        ({"TERTULIA_HOST": "::1"}, "", "http://[::1]:9009"),
        ({"TERTULIA_EXTERNAL_URL": "https://chat.example.com"}, "", "https://chat.example.com"),
        (
            {"TERTULIA_EXTERNAL_URL": "https://example.com:8443"},
            "moon",
            "https://moon.example.com:8443",
        ),
    ],
)
def test_a_zuliprc_names_the_address_of_the_organization(terminal, settings, org, site):
    terminal.runs("org", "create", "Moon", "--subdomain", "moon")
    terminal.adds("ana", "--org", org)

    result = terminal.runs("user", "zuliprc", "ana@example.com", "--org", org, **settings)

    assert result.out.endswith(f"\nsite={site}\n")


# --- organizations ---


def test_organizations_are_created_and_listed(either_terminal):
    either_terminal.runs("org", "create", "Earth", "--subdomain", "earth")
    either_terminal.runs("org", "create", "Moon", "--subdomain", "moon")
    either_terminal.adds("ana", "--org", "moon")

    listed = json.loads(either_terminal.runs("org", "list", "--json").out)

    assert [(row["subdomain"], row["name"], row["people"]) for row in listed] == [
        ("earth", "Earth", 0),
        ("moon", "Moon", 1),
    ]


@pytest.mark.parametrize(
    "flags, sentence",
    [
        (["Moon"], "There is an organization at the subdomain '' already."),
        (["", "--subdomain", "moon"], "name must be a text of 1 to 40 characters"),
        (["Moon", "--subdomain", "The Moon"], "A subdomain consists of lower-case letters"),
    ],
)
def test_an_invalid_organization_is_refused(terminal, flags, sentence):
    refused = terminal.runs("org", "create", *flags)

    assert refused.code == 1
    assert refused.err.startswith(f"Error: {sentence}")


@pytest.mark.parametrize(
    "key, value, stored",
    [
        ("enable_read_receipts", "false", False),
        ("message_content_edit_limit_seconds", "60", 60),
        ("message_content_edit_limit_seconds", "unlimited", None),
        ("message_retention_days", "unlimited", -1),
        ("jitsi_server_url", "default", None),
        ("name", "Blue Marble", "Blue Marble"),
        ("description", "true", "true"),
        ("topics_policy", "disable_empty_topic", "disable_empty_topic"),
        ("moderation_request_channel_id", "-1", -1),
    ],
)
def test_a_setting_is_stored_with_its_type(terminal, key, value, stored):
    result = terminal.runs("org", "set", key, value)

    assert (result.code, result.out, result.err) == (0, "", f"{key} is now {value}.\n")
    (realm,) = database_of(terminal).of(0).read(storage.organization.realms.list_all)
    assert realm.setting(key) == stored


@pytest.mark.parametrize(
    "key, value, sentence",
    [
        ("topic_policy", "x", "topic_policy is not a setting; the nearest one is topics_policy."),
        ("topics_policy", "x", "must be allow_empty_topic or disable_empty_topic"),
        ("topics_policy", "empty_topic_only", "must be allow_empty_topic or disable_empty_topic"),
        ("enable_read_receipts", "1", "must be true or false"),
        ("digest_weekday", "Monday", "must be 0, 1, 2, 3, 4, 5 or 6 (0 is Monday)"),
        ("org_type", "-1", "must be a whole number from 0 to 1000"),
        ("org_type", "9" * 5000, "must be a whole number from 0 to 1000"),
        ("description", "x" * 1001, "must be a text of at most 1000 characters"),
        ("name", "x" * 41, "must be a text of 1 to 40 characters"),
        ("message_retention_days", "0", "must be a number of days above 0, or unlimited"),
        ("can_create_groups", "4", "must be the name of a group, such as role:members"),
        ("new_stream_announcements_stream_id", "99999", "Invalid channel ID"),
        ("authentication_methods", "", "At least one authentication method must be enabled."),
    ],
)
def test_an_invalid_setting_is_refused(terminal, key, value, sentence):
    refused = terminal.runs("org", "set", key, value)

    assert (refused.code, refused.out) == (1, "")
    if sentence.startswith("must be"):
        shown = value if len(value) <= 60 else f"{value[:60]}…"
        sentence = f'{key} {sentence}, not "{shown}".'
    assert refused.err == f"Error: {sentence}\n"


def test_a_permission_is_granted_to_a_group_by_name(terminal):
    terminal.runs("org", "set", "can_create_groups", "role:moderators")

    listed = settings_of(terminal)

    assert listed["can_create_groups"]["value"] == "role:moderators"
    assert listed["can_create_groups"]["default"] == "role:members"


def test_all_settings_are_listed_with_their_descriptions(terminal):
    terminal.runs("org", "set", "message_retention_days", "90")

    listed = settings_of(terminal)
    shown = terminal.runs("org", "settings").out.splitlines()

    assert listed.keys() == SETTINGS.keys()
    assert listed["message_retention_days"] == {
        "name": "message_retention_days",
        "value": "90",
        "default": "unlimited",
        "meaning": SETTINGS["message_retention_days"].meaning,
    }
    assert [line.split()[0] for line in shown] == ["NAME", *SETTINGS]


def test_a_retention_that_deletes_messages_is_confirmed_first(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_tables()
    terminal.generates("--people", "3", "--channels", "2", "--messages", "40")

    def sets(days, *more, typing=""):
        return terminal.runs("org", "set", "message_retention_days", days, *more, typing=typing)

    refused = sets("30", typing="n\n")
    assert refused.code == 1
    requested = re.search(
        r"(\d+) messages are older than 30 days, sent from (\S+) to (\S+)\. .*Continue", refused.err
    )
    assert requested is not None, refused.err
    assert 0 < int(requested[1]) <= 40
    assert requested[2] < requested[3]
    assert settings_of(terminal)["message_retention_days"]["value"] == "unlimited"
    assert sets("30", typing="").code == 1  # without a terminal nothing is changed

    assert sets("10000").code == 0  # nothing is that old: no question
    assert sets("30", typing="y\n").code == 0
    assert sets("29", "--yes").code == 0
    assert settings_of(terminal)["message_retention_days"]["value"] == "29"


def settings_of(terminal):
    return {
        each["name"]: each for each in json.loads(terminal.runs("org", "settings", "--json").out)
    }


def test_an_organization_can_be_renamed(either_terminal):
    either_terminal.runs("org", "create", "Earth")

    either_terminal.runs("org", "set", "name", "Blue Marble")

    assert "Blue Marble" in either_terminal.runs("org", "list").out


# --- checking ---


def test_check_finds_no_problem_in_good_data(either_terminal):
    either_terminal.creates_organization().adds("ana")

    result = either_terminal.runs("check")

    assert result.code == 0, result.out
    assert result.out.endswith("No problems found.\n")
    assert json.loads(either_terminal.runs("check", "--json").out)["ok"] is True


def test_check_says_what_push_to_browsers_and_phones_needs(terminal):
    without_https = terminal.runs("check")
    with_https = terminal.runs("check", TERTULIA_EXTERNAL_URL="https://chat.example.com")
    database_of(terminal).of(FIRST).write(store_key_of_another_secret)
    without_key = terminal.runs("check")

    assert "external_url is not an https address" in without_https.out
    assert "external_url is not" not in with_https.out
    assert "1 of 1 keys do not open with this secret" in without_key.out
    assert [without_https.code, with_https.code, without_key.code] == [0, 0, 1]


def store_key_of_another_secret(tx: Tx) -> None:
    tx.insert_row("push_key", public="x", sealed=b"sealed elsewhere")


def lose_an_event(tx: Tx) -> None:
    tx.execute("DELETE FROM event WHERE seq = 3")


def lose_the_last_event(tx: Tx) -> None:
    tx.execute("UPDATE log_head SET seq = seq + 1")


def cross_the_border(tx: Tx) -> None:
    tx.execute("UPDATE subscription SET realm_id = 7")


def change_a_key(tx: Tx) -> None:
    tx.execute("UPDATE account SET key_sealed = key_hash WHERE key_sealed IS NOT NULL")


def run_ahead(tx: Tx) -> None:
    tx.execute(
        "INSERT INTO queue (id, realm_id, user_id, options, start_seq, acked, idle_seconds,"
        " created_at, seen_at) VALUES ('q', 1, 2, '', 99, 0, 600, 0, 0)"  # after event 99
    )


def lose_a_piece(tx: Tx) -> None:
    upload_id = storage.files.uploads.insert(tx)
    storage.files.uploads.finish(tx, upload_id)
    storage.files.attachments.insert(tx, 2, upload_id, "1/a/b/c", "c", 7, MediaInfo("text/plain"))


def lose_a_file(tx: Tx) -> None:
    storage.files.uploads.finish(tx, storage.files.uploads.insert(tx))


def miscount_files(tx: Tx) -> None:
    tx.execute("UPDATE realm SET upload_bytes = 7")


@pytest.mark.parametrize(
    "meddle, problem",
    [
        (lose_a_piece, "1 files are not as long as they should be"),
        (lose_a_file, "1 stored files have no attachment"),
        (miscount_files, "1 organizations have miscounted their files"),
        (lose_an_event, "the log of organization 1 lacks 1 events"),
        (lose_the_last_event, "was given out"),
        (cross_the_border, "in subscription.channel_id refer to another organization's channel"),
        (change_a_key, "1 of 1 do not open with this secret"),
        (run_ahead, "1 event queues begin after the end of the log"),
    ],
)
def test_check_finds_inconsistent_data(terminal, meddle, problem):
    terminal.adds("ana")
    database_of(terminal).of(FIRST).write(meddle)

    result = terminal.runs("check")

    assert result.code == 1
    assert f"{problem}" in result.out
    assert "Problems found: " in result.out


def test_check_reports_a_missing_secret_and_creates_none(terminal):
    terminal.adds("ana")
    secret = Config(data=terminal.data).secret_file
    secret.unlink()

    result = terminal.runs("check")

    assert "the secret that opens the keys is missing" in result.out
    assert not secret.exists()


# --- what keeps every command from working ---

NEEDS_NO_DATA = {
    "serve",
    "import",
    "org create",
    "restore",
    "mail test",
    "quickstart",
    "version",
    "selftest",
    "health",
}
WANTS_ONE_OF_TWO = {"user end-password": ["8"], "user link": ["8"], "upgrade": ["--check"]}
SAYS_IT_IN_ITS_OWN_WAY = {"mail receive"}  # to a mail server, which keeps the mail then


def every_command(
    group: click.Group = main, *before: str
) -> Iterator[tuple[list[str], click.Command]]:
    """All commands there are, by the words that call them."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from every_command(command, *before, name)
        else:
            yield [*before, name], command


def anything_for(parameter: click.Parameter) -> list[str]:
    """Words that a command takes for a parameter without looking at the data."""
    if not parameter.required:
        return []
    kind = parameter.type
    word = str(next(iter(kind.choices))) if isinstance(kind, click.Choice) else "8"
    return [word] if isinstance(parameter, click.Argument) else [parameter.opts[0], word]


@pytest.mark.parametrize(
    "words, command",
    [
        each
        for each in every_command()
        if " ".join(each[0]) not in NEEDS_NO_DATA | SAYS_IT_IN_ITS_OWN_WAY
    ],
    ids=lambda each: "-".join(each) if isinstance(each, list) else "",
)
def test_commands_refuse_a_folder_without_data_and_leave_it_unchanged(new_terminal, words, command):
    given = [word for parameter in command.params for word in anything_for(parameter)]
    given += WANTS_ONE_OF_TWO.get(" ".join(words), [])

    refused = new_terminal.runs(*words, *given)

    assert (refused.code, refused.out) == (1, "")
    assert refused.err == f"Error: There is no Tertulia data in {new_terminal.data}.\n"
    assert not new_terminal.data.exists()


def test_an_empty_database_is_refused_and_left_empty(databases):
    url, folder = databases.new("postgres", untouched=True)

    refused = Terminal(folder, url).runs("user", "list")

    assert refused.err == "Error: There is no Tertulia data in this database.\n"
    assert BlockingDatabase.at(url).schema().is_empty


@pytest.mark.postgres
def test_a_database_without_unicode_is_refused(databases):
    latin = "template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'"
    url, folder = databases.new("postgres", untouched=True, form=latin)

    refused = Terminal(folder, url).runs("org", "create", "Kitchen")

    assert refused.err.startswith("Error: The database is in LATIN1, which cannot hold every")


@pytest.mark.parametrize("command", [["user", "list"], ["org", "list"], ["check"]])
def test_data_of_a_newer_version_is_not_changed(terminal, command):
    terminal.adds("ana")
    with sqlite3.connect(terminal.data / "tertulia.db") as database:
        database.execute("UPDATE schema_version SET version = 9999")

    refused = terminal.runs(*command)

    assert refused.code == 1
    assert "written by a newer Tertulia (it needs schema 9999" in refused.out + refused.err


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--data", "/dev/null/x"], "There is no Tertulia data in /dev/null/x."),
        (["--database", "mysql://x"], "--database must be sqlite:///PATH or postgresql://…."),
        (
            ["--database", "postgresql://ana:hush@127.0.0.1:1/x"],
            "The database cannot be used: connection failed: connection to server at …, port 1"
            " failed: Connection refused.",
        ),
        (
            ["--database", "postgresql://ana:hush:hush@127.0.0.1/x"],
            "The database cannot be used: ",
        ),
        (["--config", "/nowhere.toml"], "/nowhere.toml cannot be read: No such file"),
    ],
)
def test_an_invalid_location_is_reported_in_one_line(tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)

    refused = CliRunner().invoke(main, ["user", "list", *words])

    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"Error: {sentence}")
    assert len(refused.stderr.splitlines()) == 1
    assert "hush" not in refused.stderr


def test_a_file_that_is_no_database_is_reported_in_one_line(new_terminal):
    new_terminal.data.mkdir()
    (new_terminal.data / "tertulia.db").write_text("I am a shopping list. " * 100)

    refused = new_terminal.runs("user", "list")

    assert refused.code == 1
    assert refused.err.startswith("Error: The database cannot be used: file is not a database. ")
    assert "restore the last backup" in refused.err
    assert len(refused.err.splitlines()) == 1


def test_the_version_and_the_help_of_every_command_are_shown():
    for words, _ in every_command():
        assert CliRunner().invoke(main, [*words, "--help"]).exit_code == 0
    assert CliRunner().invoke(main, ["--version"]).output.startswith("Tertulia ")


@pytest.mark.parametrize(
    "group, name, help",
    [
        (group, name, summary(path))
        for group, table in ((main, COMMANDS), (user, USER_COMMANDS), (org, ORG_COMMANDS))
        for name, path in table.items()
    ],
)
def test_the_command_list_shows_the_help_of_each_command(group, name, help):
    command = group.get_command(click.Context(group), name)

    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(100) == help


WINDOWS = """
import sys
import click.testing
sys.platform = "win32"
sys.modules |= dict.fromkeys(["fcntl", "pwd", "resource", "uvloop"])  # none of them is there
from tertulia.cli import main
print(click.testing.CliRunner().invoke(main, ["serve"]).output)
"""


def test_on_windows_the_error_recommends_wsl():
    shown = subprocess.run([sys.executable, "-c", WINDOWS], capture_output=True, text=True)

    assert "On Windows, run it in WSL: wsl --install" in shown.stdout, shown.stderr


SERVER_MODULES = {
    *("tertulia.app", "tertulia.api", "tertulia.actions", "tertulia.events", "tertulia.markdown"),
    *("structlog", "httpx", "cryptography", "pygments", "jinja2", "psycopg", "uvicorn"),
}
MODULES_OF_LAYERS = SERVER_MODULES | {
    *("tertulia.config", "tertulia.database", "tertulia.domain", "tertulia.storage"),
    *("asyncio", "msgspec", "sqlite3"),
}


@pytest.mark.parametrize(
    "words, absent",
    [
        (["--help"], MODULES_OF_LAYERS),
        (["user", "--help"], MODULES_OF_LAYERS),
        (["user", "list"], SERVER_MODULES),
        (["org", "list"], SERVER_MODULES),
        (["org", "settings"], SERVER_MODULES),
    ],
)
def test_a_command_imports_only_what_it_needs(terminal, words, absent):
    given = words if words[-1] == "--help" else [*words, *terminal.data_options]
    program = f"import sys; from tertulia.cli import main; main({given!r}, standalone_mode=False)"
    loaded = f"{program}; print(*sys.modules)"

    shown = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, check=True, text=True
    )

    *_, modules = shown.stdout.splitlines()
    assert "tertulia.cli.commands" in modules.split()
    assert not absent & set(modules.split())


@pytest.mark.parametrize("words", [["user", "list"], ["org", "set", "name", "Kitchen"]])
def test_a_command_opens_one_connection_and_closes_it(kind, databases, monkeypatch, words):
    url, folder = databases.new(kind)
    terminal = Terminal(folder, url).creates_organization()
    dialect = type(BlockingDatabase.at(url).dialect)
    connect, made = dialect.connect, list[Any]()

    def counted(one: Any) -> Any:
        made.append(connect(one))
        return made[-1]

    monkeypatch.setattr(dialect, "connect", counted)

    assert terminal.runs(*words).code == 0

    (connection,) = made
    with pytest.raises(Exception, match="closed"):
        connection.execute("SELECT 1")


def test_a_mistyped_command_gets_a_suggestion(tmp_path):
    terminal = Terminal(tmp_path / "data")

    for words, meant in ((("serv",), "serve"), (("user", "lst"), "list"), (("help",), "--help")):
        refused = terminal.runs(*words)
        assert refused.code == 2
        assert f"No such command '{words[-1]}'. Did you mean '{meant}'?" in refused.err
    assert "Did you mean" not in terminal.runs("weather").err


def test_the_version_is_a_command_too(tmp_path):
    terminal = Terminal(tmp_path / "data")

    assert terminal.runs("version").out == terminal.runs("--version").out


def test_the_help_of_serve_has_the_defaults(tmp_path):
    help = " ".join(Terminal(tmp_path / "data").runs("serve", "--help").out.split())

    assert "0 picks a free one. [default: 9009]" in help
    assert "The address to listen on" in help


def test_backups_and_exports_print_json_and_nothing_else(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()
    copy, archive, pages = (tmp_path / name for name in ("copy.tar", "house.tar.gz", "pages"))

    backup = terminal.runs("backup", str(copy), "--json", "--quiet")
    export = terminal.runs("export", str(archive), "--json", "--quiet")
    html = terminal.runs("export", str(pages), "--html", "--json", "--quiet")

    assert backup.err + export.err + html.err == ""
    assert json.loads(backup.out) == {
        "file": str(copy),
        "bytes": copy.stat().st_size,
        "missing_files": 0,
    }
    assert json.loads(export.out) == {"file": str(archive), "bytes": archive.stat().st_size}
    assert json.loads(html.out) == {"folder": str(pages), "missing_files": []}


def test_quiet_commands_print_results_without_progress(tmp_path):
    source, target = Terminal(tmp_path / "data").creates_organization(), tmp_path / "there"
    copy, database = tmp_path / "copy.tar", f"sqlite:///{tmp_path / 'moved.db'}"
    source.runs("backup", str(copy), "--quiet")

    found = [
        Terminal(target).runs("restore", str(copy), "--quiet"),
        source.runs("move", "--to", database, "--quiet"),
        source.runs("files", "move", "--quiet"),
        source.runs("discover", str(tmp_path / "found"), "--reason", "x", "--quiet"),
    ]

    assert [each.code for each in found] == [0, 0, 0, 0], found
    assert not [each.err for each in found if re.search(r" in \d+ s\.|\d%|Moved", each.err)]
