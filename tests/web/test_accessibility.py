"""Accessibility: axe finds nothing, in light and dark, on a phone, right to left."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.support import browser_user
from tests.support.axe import violations
from tests.support.files import uploads
from tests.support.pictures import picture

from tertulia.web.assets import STATIC

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS: dict[str, dict[str, Any]] = {"desk": {}, "phone": PHONE}

RICH = """**Everything** at once: `code`, @**Ana**, :tada:, [a link](https://example.com),
$$f = x^2$$ and <time:2026-11-15T10:00:00Z>.

| Time | What |
|---|---|
| 18:00 | doors |

```python
def soup(guests): return guests * 0.3  # litres
```

```spoiler The end
It was the dog.
```

> Somebody said so.
"""


@pytest.fixture
def lively(page_chat):
    """A user who has read some messages, and has many unread ones."""
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "garden"])
    first = ben.says(RICH, to="kitchen > lunch")
    ana.says("Yes", to="kitchen > lunch")
    ben.says("Only for you", to=[ana])
    ben.says("Grass", to="garden > ✔ mowing")
    ana.post(f"/messages/{first.id}/reactions", emoji_name="heart").succeeds()
    ana.post("/messages/flags", messages=[first.id], op="add", flag="starred").succeeds()
    ben.says("/poll Soup?\nyes\nof course", to="kitchen > votes")
    return ana, ben


@pytest.fixture
def views(page_chat, lively):
    _, ben = lively
    kitchen = page_chat.channel("kitchen").id
    return {
        "topic": f"#narrow/channel/{kitchen}-kitchen/topic/lunch",
        "feed": "#feed",
        "inbox": "#inbox",
        "channel": f"#topics/channel/{kitchen}-kitchen",
        "recent": "#recent",
        "votes": f"#narrow/channel/{kitchen}-kitchen/topic/votes",
        "direct": f"#narrow/dm/{ben.id}-Ben",
        "starred": "#narrow/is/starred",
        "mentions": "#narrow/is/mentioned",
        "found": "#narrow/search/soup",
        "search": "#search",
    }


# What `make test` checks; `--both` checks everything.
QUICK_VIEWS = ("topic", "inbox", "search")


def test_axe_finds_nothing(lively, views, browse, thorough):
    at_anas = browse(lively[0])
    found = []
    for name in views if thorough else QUICK_VIEWS:
        at_anas.goes(views[name])
        found += violations(at_anas.page, name)

    assert not found, "\n".join(found)


def test_axe_finds_nothing_on_a_phone(lively, views, browse, thorough):
    at_anas, found = browse(lively[0], **PHONE), []
    for name in views if thorough else QUICK_VIEWS:
        at_anas.goes(views[name])
        found += violations(at_anas.page, name)

    assert not found, "\n".join(found)


DOOR = ("/login/", "/accounts/find/", "/accounts/password/reset/", "/register/")
OWN = (
    "/accounts/second_factor/",
    "/accounts/second_factor/app/",
    "/accounts/second_factor/passkey/",
)


QUICK_PAGES = ("/login/", "/accounts/second_factor/")


def test_axe_finds_nothing_on_pages_before_login(page_chat, browse, thorough):
    found = []
    for who, pages in ((None, [*DOOR]), (page_chat.person("ana"), OWN)):
        page = browse(who, **PHONE).page
        for path in pages:
            page.goto(browser_user.address(page_chat, path))
            width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            found += [f"{path} is {width} pixels too wide"] if width > 0 else []
            found += violations(page, path, closely=thorough or path in QUICK_PAGES)

    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "width, right_to_left", [(320, False), pytest.param(640, True, marks=pytest.mark.soak)]
)
def test_no_element_is_wider_than_a_small_window(lively, views, browse, width, right_to_left):
    lively[0].post("/users/me/status", status_text="in the booth " * 4).succeeds()
    at_anas = browse(lively[0], viewport={"width": width, "height": 640})
    for name, view in views.items():
        at_anas.goes(view)
        if right_to_left:
            at_anas.page.evaluate("document.documentElement.dir = 'rtl'")
        wide = at_anas.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide"
    side = at_anas.page.locator(".side")
    assert side.evaluate("side => side.scrollWidth <= side.clientWidth")


SETTINGS = (
    "profile account-and-privacy preferences notifications your-bots uploaded-files alert-words"
    " muted-users agents"
)
ORGANIZATION = (
    "organization-profile organization-settings organization-permissions auth-methods"
    " organization-level-user-defaults users groups invitations"
    " channel-folders default-channels-list emoji-settings commands linkifier-settings"
    " playground-settings profile-field-settings data-exports-admin audit-log"
    " archived-channels agents usage integrations server-health legal-holds"
)
DIALOGS = [
    "#channels/new",
    *(f"#settings/{each}" for each in SETTINGS.split()),
    *(f"#organization/{each}" for each in ORGANIZATION.split()),
    *(f"#channels/1/x/{each}" for each in ("personal", "general", "permissions", "subscribers")),
    *["#channels/available", "#members", "#drafts", "#scheduled", "#reminders"],
    *["#keyboard-shortcuts", "#message-formatting"],
]


QUICK_DIALOGS = (
    "#channels/new",
    "#settings/preferences",
    "#organization/organization-settings",
    "#organization/organization-permissions",
    "#organization/users",
    "#channels/1/x/subscribers",
    "#drafts",
)


@pytest.mark.parametrize("look", ["desk", pytest.param("phone", marks=pytest.mark.soak)])
def test_axe_finds_nothing_in_dialogs_and_menus(page_chat, browse, look, thorough):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    soup = uploads(owner, "soup.png", picture(size=(300, 200)), kind="image/png")
    owner.says(f"Soup's on [soup.png]({soup.url})", to="kitchen > lunch")
    at_anas = browse(owner, **LOOKS[look]).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )
    page, here, found = at_anas.page, at_anas.page.url, []

    for key, name, inside in OPENED_BY_KEYS if thorough else OPENED_BY_KEYS[:2]:
        at_anas.message("Soup's on").focus()
        page.keyboard.press(key)
        expect(page.get_by_role(name).first).to_be_visible()
        found += violations(page, key, inside=inside)
        close_by_escape(page, inside)
    for address in DIALOGS if thorough else QUICK_DIALOGS:
        page.evaluate("hash => { location.hash = hash; }", address)
        expect(page.get_by_role("dialog").first).to_be_visible()
        expect(page.locator(".page-of:empty")).to_have_count(0)
        found += violations(page, address, inside="dialog[open]")
        page.keyboard.press("Escape")
        expect(page).to_have_url(here)

    assert not found, "\n".join(found)


def close_by_escape(page: Page, opened: str) -> None:
    """Close it and wait until it is gone: the next key goes to what has the focus then."""
    page.keyboard.press("Escape")
    expect(page.locator(opened).locator("visible=true")).to_have_count(0)


# A key, what it opens, and where that is looked at.
OPENED_BY_KEYS = (
    ("i", "menu", "[role=menu]"),
    (":", "dialog", ".picker"),
    ("u", "dialog", ".card"),
    ("v", "dialog", "dialog.viewer"),
    ("x", "dialog", "dialog[open]"),
    ("g", "menu", "[role=menu]"),
    ("m", "dialog", "dialog[open]"),
    ("<", "dialog", "dialog[open]"),
    ("Control+k", "dialog", "dialog[open]"),
)


def test_all_sections_of_settings_and_administration_are_checked():
    def keys(path):
        source = (STATIC / path).read_text(encoding="utf-8")
        return set(re.findall(r'\{\s*key: "([a-z-]+)"', source))

    assert keys("admin/sections.js") <= set(ORGANIZATION.split())
    assert keys("dialogs/settings.js") <= set(SETTINGS.split())


def test_focus_moves_into_dialogs_and_returns(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )
    page, soup = at_anas.page, at_anas.message("Soup's on")
    soup.focus()

    for key, inside in (
        ("i", page.get_by_role("menuitem").first),
        (":", page.get_by_role("searchbox", name="Search emoji")),
        ("Control+k", page.get_by_role("combobox", name="Go to")),
        ("?", page.get_by_role("heading", name="Keyboard shortcuts")),
        ("x", page.get_by_role("combobox")),
    ):
        page.keyboard.press(key)
        expect(inside).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("article:focus-within")).to_have_count(1)
    moving = page.evaluate(
        "document.getAnimations().filter((each) => each.playState === 'running')"
    )
    assert moving == []


@pytest.mark.parametrize("width", [320, pytest.param(640, marks=pytest.mark.soak)])
def test_dialogs_fit_into_a_small_window(page_chat, browse, width, thorough):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    page = browse(owner, viewport={"width": width, "height": 640}).goes("#inbox").page
    here = page.url
    for address in DIALOGS if thorough else QUICK_DIALOGS:
        page.evaluate("hash => { location.hash = hash; }", address)
        expect(page.get_by_role("dialog").first).to_be_visible()
        expect(page.locator(".page-of:empty")).to_have_count(0)
        wide = page.evaluate(
            "[...document.querySelectorAll('.page-of, .dialog-body, .pane')]"
            ".map((each) => each.scrollWidth - each.clientWidth)"
        )
        assert max(wide) <= 0, f"{address} is {wide} pixels too wide"
        page.keyboard.press("Escape")
        expect(page).to_have_url(here)
