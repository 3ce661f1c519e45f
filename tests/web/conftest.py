"""Fixtures of browser tests: each user has a browser context."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext
from tests.support.browser_user import BrowserUser, new_context, open_page_in
from tests.support.people import Chat, Person
from tests.support.shared_servers import SharedServers

Browse = Callable[..., BrowserUser]


@pytest.fixture
def page_chat(servers: SharedServers) -> Chat:
    """An organization to open in a browser. What a page shows does not depend on the database."""
    return servers.chat_on("sqlite")


@pytest.fixture(scope="session")
def idle_contexts() -> list[BrowserContext]:
    """Browser contexts of earlier tests. A new one starts a process, which takes a fifth of the
    CPU time of a short test. Each test has its own host, so nothing of another one is found."""
    return []


@pytest.fixture
def browse(
    chromium: Browser, page_chat: Chat, idle_contexts: list[BrowserContext]
) -> Iterator[Browse]:
    """Open a browser for a user: `browse(ana)`. At the end no page may have reported an error."""
    opened: list[BrowserUser] = []

    def open_browser(
        person: Person | None, chat: Chat | None = None, **options: Any
    ) -> BrowserUser:
        is_ordinary = chat is None and not options
        context = idle_contexts.pop() if is_ordinary and idle_contexts else None
        context = context or new_context(chromium, **options)
        opened.append(open_page_in(context, chat or page_chat, person))
        opened[-1].is_reusable = is_ordinary
        return opened[-1]

    yield open_browser
    errors = [error for user in opened for error in user.errors]
    for user in opened:
        user.leave(idle_contexts)
    assert not errors
