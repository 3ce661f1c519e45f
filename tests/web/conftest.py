"""Fixtures of browser tests: each user has a browser context."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.support.browser_user import BrowserUser, open_page
from tests.support.people import Chat, Person
from tests.support.shared_servers import SharedServers

Browse = Callable[..., BrowserUser]


@pytest.fixture
def page_chat(servers: SharedServers) -> Chat:
    """An organization to open in a browser. What a page shows does not depend on the database."""
    return servers.chat_on("sqlite")


@pytest.fixture
def browse(chromium: Browser, page_chat: Chat) -> Iterator[Browse]:
    """Open a browser for a user: `browse(ana)`. At the end no page may have reported an error."""
    opened: list[BrowserUser] = []

    def open_browser(
        person: Person | None, chat: Chat | None = None, **options: Any
    ) -> BrowserUser:
        opened.append(open_page(chromium, chat or page_chat, person, **options))
        return opened[-1]

    yield open_browser
    errors = [error for user in opened for error in user.errors]
    for user in opened:
        user.context.close()
    assert not errors
