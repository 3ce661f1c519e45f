"""kill -9 while a user writes in the page: each message arrives once and in order."""

from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect
from tests.crash.conftest import NewServer
from tests.crash.people import Person, create_organization
from tests.crash.server import SECRET, ServerProcess
from tests.crash.tcp_proxy import TcpProxy
from tests.support.databases import Databases

from tertulia import actions, domain, storage
from tertulia.database import BlockingDatabase
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import Browser as UserAgent

TEXTS = [f"message {number}" for number in range(12)]


def sit_at(chromium: Chromium, url: str, server: ServerProcess | TcpProxy, person: Person) -> Page:
    """A user's browser, logged in."""
    token, database = domain.people.sessions.new_token(), BlockingDatabase.at(url)
    fingerprint = Vault(SECRET.encode()).fingerprint(f"session {token}")
    agent = UserAgent("Mozilla/5.0", "127.0.0.1")
    user = database.of(1).read(storage.people.users.find, person.id)
    assert user is not None
    database.of(1).write(actions.people.sessions.start, user, fingerprint, agent)
    address = f"http://localhost:{server.port}"
    context = chromium.new_context(locale="en-GB")
    context.add_cookies([{"name": "session", "value": token, "url": address}])
    page = context.new_page()
    page.goto(f"{address}/#narrow/channel/1-general/topic/news")
    page.wait_for_selector("body[data-ready]")
    return page


def test_kill_9_in_the_middle_of_sends_and_polls_loses_and_repeats_nothing(
    databases: Databases, new_server: NewServer, chromium: Chromium
) -> None:
    url, folder = databases.new("sqlite")
    people = create_organization(url, "ana ben")
    server = new_server(url, folder)
    server.start()
    page = sit_at(chromium, url, server, people["ana"])
    requested: list[str] = []
    page.on("request", lambda made: requested.append(made.url))
    box = page.get_by_role("textbox", name="Message to")

    for number, words in enumerate(TEXTS):
        box.fill(words)
        box.press("Control+Enter")
        if number % 4 == 2:
            server.kill()
            server.start(wait=False)
    server.wait_until_it_answers()
    ben = people["ben"].at(server.port)
    assert ben.says("and ben", "general").status == 200

    expect(page.locator(".waiting article")).to_have_count(0)
    expect(page.get_by_role("feed").get_by_text("and ben")).to_be_visible()
    shown = page.get_by_role("feed").locator(".what").all_inner_texts()
    assert [words for words in shown if words != "and ben"] == TEXTS
    response = ben.get(
        "/messages", anchor="newest", num_before=50, num_after=0, apply_markdown=False
    )
    assert [
        each["content"] for each in response["messages"] if each["content"] != "and ben"
    ] == TEXTS
    assert not any("/register" in address for address in requested), "the same queue goes on"
    page.context.close()
