"""kill -9 while two people talk: the call goes on, and a third person joins it afterwards."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Locator, Page, expect
from tests.crash.conftest import NewServer
from tests.crash.people import Person, create_organization
from tests.crash.server import ServerProcess
from tests.crash.tcp_proxy import TcpProxy
from tests.crash.test_page import sit_at
from tests.support.databases import Databases
from tests.support.waiting import eventually
from tests.web.test_calls import HEARD, WATCH

NAMES = ("ana", "ben", "cem")


@pytest.fixture(params=[2, pytest.param(20, marks=pytest.mark.soak)])
def rounds(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def sound(page: Page) -> float:
    return float(sum(page.evaluate(HEARD)))


def hears(page: Page, others: int) -> bool:
    return len([each for each in page.evaluate(HEARD) if each > 0]) == others


def pages_of(
    chromium: Chromium,
    url: str,
    servers: Sequence[ServerProcess | TcpProxy],
    people: dict[str, Person],
) -> list[Page]:
    pages = [
        sit_at(chromium, url, server, people[name])
        for name, server in zip(NAMES, servers, strict=True)
    ]
    for page in pages:
        page.context.add_init_script(WATCH)
        page.reload()
        page.wait_for_selector("body[data-ready]")
    return pages


def call_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Your call")


def talk(anas: Page, bens: Page) -> None:
    """Ana and Ben talk, for longer than a moment."""
    anas.get_by_role("button", name="Start a call").click()
    bens.get_by_role("button", name="Join", exact=True).click()
    eventually(lambda: sound(anas) > 0 and sound(bens) > 0)


def survives(pages: Sequence[Page], kill: Callable[[], None], recover: Callable[[], None]) -> None:
    """Sound goes on while no server runs, and afterwards a third person joins and leaves."""
    anas, bens, cems = pages
    connections = [page.evaluate("connections.length") for page in (anas, bens)]
    kill()
    before = [sound(page) for page in (anas, bens)]
    eventually(lambda: all(sound(p) > b for p, b in zip((anas, bens), before, strict=True)))
    recover()
    cems.get_by_role("button", name="Join", exact=True).click()
    for page in pages:
        eventually(partial(hears, page, 2))
        expect(call_of(page).get_by_role("listitem")).to_have_count(3)
    # Ana and Ben have the connection that they had.
    assert [page.evaluate("connections.length") for page in (anas, bens)] == [
        each + 1 for each in connections
    ]
    call_of(cems).get_by_role("button", name="Leave").click()
    for page in (anas, bens):
        eventually(partial(hears, page, 1))


def test_kill_9_does_not_end_a_call_and_others_can_join_after_it(
    databases: Databases, new_server: NewServer, chromium: Chromium, rounds: int
) -> None:
    url, folder = databases.new("sqlite")
    people = create_organization(url, " ".join(NAMES))
    server = new_server(url, folder)
    server.start()
    pages = pages_of(chromium, url, [server] * 3, people)
    talk(pages[0], pages[1])

    for _ in range(rounds):
        survives(pages, server.kill, server.start)

    for page in pages:
        page.context.close()


@pytest.mark.postgres
def test_a_failover_does_not_end_a_call_between_people_on_two_servers(
    databases: Databases, new_server: NewServer, chromium: Chromium, rounds: int
) -> None:
    url, folder = databases.new("postgres")
    people = create_organization(url, " ".join(NAMES))
    servers = [new_server(url, folder / str(number)) for number in range(2)]
    for server in servers:
        server.start()
    addresses = [f"http://127.0.0.1:{server.port}" for server in servers]
    proxy = TcpProxy(addresses[0])
    pages = pages_of(chromium, url, [proxy, servers[1], servers[1]], people)
    talk(pages[0], pages[1])

    for _ in range(rounds):  # Ana's server is killed; she continues at that of Ben and Cem
        survives(pages, servers[0].kill, lambda: proxy.redirect(addresses[1]))
        servers[0].start()
        proxy.redirect(addresses[0])

    for page in pages:
        page.context.close()
