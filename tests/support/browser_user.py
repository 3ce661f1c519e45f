"""A real browser with a user: the distribution's Chromium, driven by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
from tests.support.browser import Browser as Cookies
from tests.support.people import Chat, Person
from tests.support.waiting import TIMEOUT_SECONDS

TIMEOUT_MS = 1000 * TIMEOUT_SECONDS
LOGGED_BY_BROWSERS = (
    "Failed to load resource",
    "An unknown error occurred when fetching the script",  # of the service worker, offline
)

expect.set_options(timeout=TIMEOUT_MS)

CHROMIUM = (  # the headless one takes half the time
    shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
)
# Without a zygote processes end sooner. One process for all pages: a tenth of a browser's CPU time
# was the start of a process for each test.
FLAGS = [
    "--no-sandbox",
    "--no-zygote",
    "--renderer-process-limit=1",
    "--use-fake-device-for-media-stream",  # a microphone that beeps
    "--use-fake-ui-for-media-stream",  # everybody may use it
]


# The one that takes half the time shows no notifications.
NOTIFYING_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def notifying(browser: Browser) -> Iterator[Browser]:
    """Another browser, of the same Playwright, that shows notifications."""
    if NOTIFYING_CHROMIUM is None:
        pytest.skip("no Chromium with notifications is installed")
    other = browser.browser_type.launch(
        executable_path=NOTIFYING_CHROMIUM, args=[*FLAGS, "--headless=new"], headless=False
    )
    yield other
    other.close()


@contextmanager
def running_chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the page is not tried in a browser")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def address(chat: Chat, path: str = "/") -> str:
    """The address of an organization for a browser; browsers trust `localhost` like HTTPS."""
    return f"http://{chat.realm.subdomain or 'chat'}.localhost:{chat.server.port}{path}"


@dataclass
class BrowserUser:
    """A user at a browser. `page` is the current tab."""

    _context: BrowserContext
    page: Page
    chat: Chat
    errors: list[str]
    is_reusable: bool = False

    @property
    def context(self) -> BrowserContext:
        """All tabs together. A test may change it, so no other test uses it afterwards."""
        self.is_reusable = False
        return self._context

    def leave(self, idle: list[BrowserContext]) -> None:
        """Close all tabs. An unchanged context without data is left for the next test."""
        tabs = self._context.pages
        if not (self.is_reusable and tabs):
            self._context.close()
            return
        tools = self._context.new_cdp_session(tabs[0])
        origin = address(self.chat, "")
        tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        for tab in tabs:
            tab.close()
        self._context.clear_cookies()
        idle.append(self._context)

    def goes(self, hash: str) -> "BrowserUser":
        """Go to an address behind `#`, from outside or from within the page."""
        if self.page.url == "about:blank":
            self.page.goto(address(self.chat, f"/{hash}"))
        else:
            self.page.evaluate(
                "hash => { delete document.body.dataset.ready; location.hash = hash; }", hash
            )
        self.page.wait_for_selector("body[data-ready]")
        return self

    def tab(self) -> "BrowserUser":
        """Another tab of the same browser."""
        return BrowserUser(
            self._context, _watched(self._context, self.errors), self.chat, self.errors
        )

    @property
    def feed(self) -> Locator:
        return self.page.get_by_role("feed", name="Messages")

    def message(self, text: str) -> Locator:
        return self.feed.get_by_role("article").filter(has_text=text)

    def nav(self) -> Locator:
        return self.page.get_by_role("navigation", name="Views, channels and direct messages")


def open_page(browser: Browser, chat: Chat, person: Person | None, **options: Any) -> BrowserUser:
    """Open a browser with a session of this user, or without one."""
    return open_page_in(new_context(browser, **options), chat, person)


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    defaults = {
        "locale": "en-GB",
        "viewport": {"width": 1280, "height": 800},
        "reduced_motion": "reduce",  # clicks would wait until menus and dialogs have faded in
    }
    context = browser.new_context(**defaults | options)
    context.set_default_timeout(TIMEOUT_MS)
    return context


def open_page_in(context: BrowserContext, chat: Chat, person: Person | None) -> BrowserUser:
    if person is not None:
        cookies = Cookies.of(person).cookies
        kept = [
            {"name": name, "value": value, "url": address(chat)} for name, value in cookies.items()
        ]
        context.add_cookies(kept)  # type: ignore[arg-type]
    errors: list[str] = []
    return BrowserUser(context, _watched(context, errors), chat, errors)


def _watched(context: BrowserContext, errors: list[str]) -> Page:
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda message: errors.append(message.text) if _is_trouble(message) else None
    )
    return page


def _is_trouble(message: Any) -> bool:
    """Messages of the browser itself about failed requests are not errors of the page."""
    return message.type == "error" and not message.text.startswith(LOGGED_BY_BROWSERS)
