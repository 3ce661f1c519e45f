"""Everybody at the browser of a worker has a context of their own."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.support.browser_user import BrowserUser, open_page
from tests.support.people import Chat, Person
from tests.support.shared_servers import SharedServers

Sit = Callable[..., BrowserUser]


@pytest.fixture
def house(servers: SharedServers) -> Chat:
    """An organization to open in a browser. What a page shows does not depend on the database."""
    return servers.chat_on("sqlite")


@pytest.fixture
def sit(chromium: Browser, house: Chat) -> Iterator[Sit]:
    """Open a browser for a user: `sit(ana)`. At the end no page may have reported an error."""
    seated: list[BrowserUser] = []

    def seat(person: Person | None, chat: Chat | None = None, **options: Any) -> BrowserUser:
        seated.append(open_page(chromium, chat or house, person, **options))
        return seated[-1]

    yield seat
    complaints = [error for sitter in seated for error in sitter.errors]
    for sitter in seated:
        sitter.context.close()
    assert not complaints
