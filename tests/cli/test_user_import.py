"""`tertulia user invite` and `user import`: people come in from the command line."""

import time

import pytest
from tests.support.cli_runner import Terminal

from tertulia.database import BlockingDatabase


@pytest.fixture
def terminal(tmp_path) -> Terminal:
    return Terminal(tmp_path / "data").creates_organization()


def everybody(terminal: Terminal) -> str:
    return terminal.runs("user", "list").out


def write(tmp_path, *lines) -> str:
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_without_mail_every_invitation_is_a_link(terminal):
    result = terminal.runs(
        "user", "invite", "ana@example.com", "ben@example.com", "--role", "admin"
    )
    for_many = terminal.runs("user", "invite", "--channel", "general")

    links = result.out.split()
    assert (result.code, len(links)) == (0, 2)
    assert all("/join/" in link for link in [*links, for_many.out])
    assert (
        terminal.runs("user", "invite", "nonsense").err == "Error: Enter a valid email address.\n"
    )
    assert "There is no channel attic" in terminal.runs("user", "invite", "--channel", "attic").err


def test_with_mail_invitations_are_sent_by_the_server(terminal):
    mail = {
        "TERTULIA_SMTP_HOST": "mail.example.com",
        "TERTULIA_EXTERNAL_URL": "https://house.example",
    }
    result = terminal.runs("user", "invite", "ana@example.com", **mail)

    assert (result.code, result.out) == (0, "")
    assert result.err == "Invited 1; the server sends the mail.\n"


def test_a_list_of_users_is_imported_in_one_step(terminal, tmp_path):
    path = write(
        tmp_path,
        "email,name,role,channels",
        "ana@example.com,Ana García,owner,",
        'ben@example.com,"Ben, the other",,sandbox; general',
    )

    tried = terminal.runs("user", "import", path, "--dry-run")
    assert tried.err == "2 people can be added; nothing was changed.\n"
    assert "ana@example.com" not in everybody(terminal)
    done = terminal.runs("user", "import", path)

    assert done.err == "2 people were added.\n"
    assert done.out.splitlines() == [
        "ana@example.com  Ana García",
        "ben@example.com  Ben, the other  #sandbox #general",
    ]
    assert "Ana García" in everybody(terminal)
    database = BlockingDatabase.at(f"sqlite:///{tmp_path}/data/tertulia.db", time.time)
    greetings = database.of(1).read(lambda tx: tx.all("SELECT content FROM message"))
    assert [row["content"] for row in greetings].count("Welcome to Tertulia!") == 2


@pytest.mark.parametrize(
    "line, why",
    [
        ("ana@example.com,Ana", "Line 3: Email is already in use. No accounts were added."),
        ("nonsense,Ben", "Line 3: Enter a valid email address. No accounts were added."),
        ("ben@example.com,", "Line 3: it needs an email and a name"),
        ("ben@example.com,Ben,king", "Line 3: there is no role king"),
        ("ben@example.com,Ben,member,attic", "Line 3: there is no channel attic"),
        ("ben@example.com,Ben,member,,cooks", "Line 3: there is no group cooks"),
        ("ben@example.com,Ben,member,,,more", "Line 3: it needs an email and a name"),
    ],
)
def test_an_invalid_line_fails_the_whole_import(terminal, tmp_path, line, why):
    path = write(tmp_path, "email,name,role,channels,groups", "ana@example.com,Ana", line)

    result = terminal.runs("user", "import", path)

    assert result.code == 1
    assert why in result.err
    assert "ana@example.com" not in everybody(terminal)


def test_an_invalid_file_is_refused(terminal, tmp_path):
    assert "must name the columns" in terminal.runs("user", "import", write(tmp_path, "a,b")).err
    assert terminal.runs("user", "import", str(tmp_path / "nothing.csv")).code == 1


def test_user_link_prints_a_password_reset_link(terminal):
    terminal.runs("user", "add", "ana@example.com", "--name", "Ana")

    result = terminal.runs("user", "link", "ana@example.com")

    assert result.code == 0
    assert "/accounts/password/reset/" in result.out
