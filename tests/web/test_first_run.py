"""A server without accounts: its first-run page creates the owner, with the setup code."""

import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.cli_runner import ServerCommand, Terminal, clean_environment
from tests.support.databases import Databases, Kind
from tests.support.exports import slack_export
from tests.support.forkserver import COMMAND
from tests.support.waiting import eventually

LENTILS = "lentils, always lentils"
ANA = {
    "organization": "Cine Linterna",
    "full_name": "Ana García",
    "email": "ana@example.com",
    "password": LENTILS,
}


@pytest.fixture
def terminal(kind: Kind, databases: Databases) -> Iterator[Terminal]:
    url, folder = databases.new(kind)
    terminal = Terminal(folder, url)
    yield terminal
    terminal.close()


class Answer:
    def __init__(
        self, server: ServerCommand, method: str, path: str, fields: dict[str, str]
    ) -> None:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
        headers = {"Sec-Fetch-Site": "same-origin", "Accept-Language": fields.pop("lang", "en")}
        if method == "POST":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, urlencode(fields), headers)
        response = connection.getresponse()
        self.status = response.status
        self.page = response.read().decode()
        self.location = response.headers["Location"]
        self.cookie = (response.headers["Set-Cookie"] or "").partition(";")[0]
        connection.close()


def opens(server: ServerCommand, path: str, **fields: str) -> Answer:
    return Answer(server, "GET", path, fields)


def submits(server: ServerCommand, code: str, **fields: str) -> Answer:
    return Answer(server, "POST", "/setup/", {**ANA, "code": code, **fields})


def printed_link(server: ServerCommand) -> str:
    return server.output.out.splitlines()[-1]


def code_in(link: str) -> str:
    return urlsplit(link).query.removeprefix("code=")


def test_the_printed_page_creates_the_organization_and_its_owner(terminal):
    server = terminal.serves()
    link = printed_link(server)

    assert [opens(server, path).location for path in ("/", "/login/")] == ["/setup/", "/setup/"]
    page = opens(server, link.partition(f":{server.port}")[2]).page
    assert f'value="{code_in(link)}"' in page
    created = submits(server, code_in(link))

    assert (created.status, created.location) == (303, "/")
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/json/users/me", headers={"Cookie": created.cookie})
    me = connection.getresponse().read().decode()
    assert '"full_name":"Ana García"' in me
    assert '"role":100' in me
    assert server.asks("GET", "/server_settings")[1]["realm_name"] == "Cine Linterna"
    assert [opens(server, path).location for path in ("/", "/setup/")] == ["/login/", "/"]
    assert submits(server, code_in(link), email="eve@example.com").status == 403


@pytest.mark.on_one
def test_the_log_of_the_start_precedes_the_address_of_the_page(tmp_path):
    seen = tmp_path / "terminal"  # the log and the output in one stream
    with seen.open("wb") as stream:
        process = subprocess.Popen(
            [COMMAND, "serve", "--port", "0", "--data", str(tmp_path / "data")],
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=clean_environment(),
        )
    page, check = "/setup/?code=", "database.quick_check_passed"

    eventually(lambda: page in seen.read_text() and check in seen.read_text())
    process.terminate()
    process.wait()

    assert seen.read_text().index(check) < seen.read_text().index(page)


def test_setup_requires_the_code_and_limits_attempts(terminal):
    server = terminal.serves()
    code = code_in(printed_link(server))

    wrong = [submits(server, each).status for each in ("", "aaaa-aaaa", code[:-1], f"{code}2")]
    assert wrong == [403] * 4
    assert "setup code is wrong" in submits(server, "2222-2222").page
    locked = submits(server, code)

    assert locked.status == 429
    assert "Too many attempts" in locked.page
    assert "ana@example.com" not in terminal.runs("user", "list").out


def test_form_errors_use_no_attempt_and_keep_the_input(terminal):
    server = terminal.serves()
    code = code_in(printed_link(server))

    for _ in range(6):
        short = submits(server, code, password="short", lang="es")
        assert short.status == 400
    assert "Una contraseña tiene al menos 8 caracteres." in short.page
    assert 'value="Cine Linterna"' in short.page
    assert 'value="short"' not in short.page
    assert submits(server, code.upper().replace("-", " ")).status == 303


@pytest.mark.postgres
def test_of_two_simultaneous_setups_one_creates_the_owner(databases):
    url, folder = databases.new("postgres")
    with closing(Terminal(folder, url)) as terminal:
        servers = [terminal.serves(), terminal.serves()]
        codes = {code_in(printed_link(each)) for each in servers}
        assert len(codes) == 1
        (code,) = codes

        with ThreadPoolExecutor() as threads:
            work = [
                threads.submit(submits, server, code, email=f"{number}@example.com")
                for number, server in enumerate(servers * 2)
            ]
            statuses = sorted(each.result().status for each in work)

        assert statuses == [303, 403, 403, 403]
        assert terminal.runs("user", "list").out.count("@example.com") == 1
        assert opens(servers[1], "/").location == "/login/"


def test_the_page_stays_open_for_an_owner_after_another_account_was_added(terminal):
    server = terminal.serves()
    assert terminal.runs("user", "add", "script@example.com", "--name", "Script").code == 0

    assert opens(server, "/").location == "/login/"
    link = terminal.runs("setup-code").out.strip()
    assert link == printed_link(server)
    assert opens(server, urlsplit(link).path).status == 200
    assert (
        terminal.runs("user", "add", "ana@example.com", "--role", "owner", "--name", "Ana").code
        == 0
    )
    assert opens(server, urlsplit(link).path).location == "/"


def test_setup_code_shows_the_page_until_there_is_an_owner(terminal):
    server = terminal.serves()

    shown = terminal.runs("setup-code")
    assert shown.out.strip() == printed_link(server)
    assert code_in(shown.out.strip()) in shown.err

    added = terminal.runs("user", "add", "ana@example.com", "--name", "Ana", "--role", "owner")
    assert opens(server, "/").location == "/login/"
    refused = terminal.runs("setup-code")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith(
        "Error: This server has an owner, so it has no setup code. To log"
    )
    assert "tertulia user link EMAIL" in refused.err
    (choose,) = re.findall(r"http://\S+", added.err)
    assert 'type="password"' in opens(server, urlsplit(choose).path).page


def test_the_owner_goes_from_the_printed_link_to_the_first_message(tmp_path, chromium):
    with closing(Terminal(tmp_path / "data").creates_tables()) as terminal:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(printed_link(terminal.serves()))
        assert violations(page, "first-run page") == []
        page.get_by_label("Name of the organization").fill("Cine Linterna")
        command = page.get_by_text("tertulia quickstart chat.example.com")
        expect(command).to_be_hidden()
        page.get_by_role("link", name="How to set up a server").click()
        expect(command).to_be_visible()
        page.get_by_label("Your name").fill("Ana García")
        page.get_by_label("Your email").fill("ana@example.com")
        page.get_by_label("Password").fill(LENTILS)
        page.get_by_role("button", name="Create the organization").click()
        page.wait_for_selector("body[data-ready]")
        page.goto(f"{page.url.partition('#')[0]}#inbox")
        card = page.get_by_role("region", name="Four things to start with")
        expect(card).to_be_visible()
        assert violations(page, "first run") == []

        expect(page.get_by_text("Nothing to read yet.")).to_be_visible()
        expect(card).to_contain_text("One of four is done")
        expect(page.locator(".me")).to_contain_text("Owner")
        link = card.get_by_label("Invitation link")
        expect(link).to_have_value(re.compile("/join/"))
        before = link.input_value()
        card.get_by_role("button", name="Copy link").click()
        expect(link).to_have_value(before)
        card.get_by_role("button", name="Import from another chat").click()
        expect(card).to_contain_text("tertulia import export.zip")
        card.get_by_role("button", name="Write in general").click()
        expect(page.get_by_label("Topic")).to_be_focused()
        page.keyboard.type("hello")
        page.keyboard.press("Enter")
        page.keyboard.type("Hello, world!")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("article")).to_contain_text("Hello, world!")
        page.goto(f"{page.url.partition('#')[0]}#inbox")
        expect(card).to_contain_text("Two of four are done")
        card.get_by_role("button", name="Hide").click()
        expect(card).to_have_count(0)
        context.close()


def test_new_members_see_the_introduction_to_topics_once(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    sitting = browse(ben).goes("#inbox")
    card = sitting.page.get_by_role("region", name="How conversations work here")

    expect(card.get_by_role("listitem")).to_have_count(3)
    card.get_by_role("button", name="I know this").click()

    expect(card).to_have_count(0)
    again = sitting.tab().goes("#inbox")
    expect(again.page.get_by_role("link", name="lunch").first).to_be_visible()
    expect(again.page.get_by_role("region", name="How conversations work here")).to_have_count(0)


def test_an_import_replaces_the_setup_form(terminal, tmp_path):
    server = terminal.serves()

    result = terminal.runs("import", str(slack_export(tmp_path / "export")))

    assert result.code == 0, result.err
    eventually(lambda: opens(server, "/").location == "/login/")
    eventually(lambda: opens(server, "/login/").status == 200)
    server.stops()
    again = terminal.serves()
    assert "/setup/" not in again.output.out
    assert opens(again, "/login/").status == 200
