"""Every language: texts fit into 320 pixels and nothing scrolls sideways.

Axe looks at one language from right to left; test_accessibility.py has the other direction. What it
judges are names, roles and places, which no translation changes.
"""

import re

import pytest
from playwright.sync_api import expect
from tests.support import browser_user
from tests.support.axe import violations
from tests.support.database_plan import thorough_except
from tests.web.test_accessibility import DIALOGS, DOOR

from tertulia import locale

LANGUAGES = ("ar", "de", "en", "es", "fr", "ja", "pt")
SMALL = {"width": 320, "height": 640}
WIDTHS = (320, 390, 640, 768, 1024, 1440)

VIEWS = ("#inbox", "#recent", "#feed", "#search", "#narrow/is/starred", "#narrow/is/mentioned")
SECTIONS = (
    "organization-profile",
    "organization-settings",
    "organization-permissions",
    "auth-methods",
    "organization-level-user-defaults",
    "users",
    "invitations",
    "profile-field-settings",
    "default-channels-list",
    "archived-channels",
    "channel-folders",
    "emoji-settings",
    "commands",
    "linkifier-settings",
    "playground-settings",
    "data-exports-admin",
    "integrations",
    "integrations/github",
    "integrations/harbor",
    "agents",
    "audit-log",
    "legal-holds",
    "usage",
    "server-health",
)
# What `make test` looks at; `--both` looks at everything.
QUICK_VIEWS = ("#inbox", "#recent")
QUICK_DIALOGS = (
    "#settings/notifications",
    "#organization/organization-settings",
    "#organization/users",
    "#organization/audit-log",
    "#channels/1/x/permissions",
)

# Texts of the page that are cut, stick out of their button, or are outside of the window. Names and
# messages of people may be cut; what is in a strip that scrolls may be outside.
MISPLACED = """() => {
  const found = [];
  const top = document.querySelector("dialog[open]") ?? document.body;
  const byPeople = ".av, bdi, .cut, .what, [dir=auto], code, input, textarea, select, svg, time";
  const isVisible = { visibilityProperty: true, opacityProperty: true };
  const scrolls = (each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
  const overflow = (each) => (each.clientWidth > 0 ? each.scrollWidth - each.clientWidth : 0);
  for (const each of top.querySelectorAll("*")) {
    const nodes = [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const text = nodes.map((node) => node.data.trim()).join("");
    if (!text || each.closest(byPeople) || !each.checkVisibility(isVisible)) continue;
    const box = each.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue; // for screen readers only
    const isClipped = ["hidden", "clip"].includes(getComputedStyle(each).overflowX);
    let strip = each.parentElement;
    while (strip && !scrolls(strip)) strip = strip.parentElement;
    const what = `${each.tagName.toLowerCase()}.${each.className}: ${text}`;
    if (overflow(each) > 1 && isClipped) found.push(`cut: ${what}`);
    else if (overflow(each) > 1 && each.closest("button, .b")) found.push(`sticks out: ${what}`);
    else if (!strip && (box.left < -1 || box.right > innerWidth + 1)) found.push(`out: ${what}`);
  }
  for (const each of [document.documentElement, ...top.querySelectorAll(".page-of, .dialog-body")])
    if (overflow(each) > 0) found.push(`${each.className} is ${overflow(each)} too wide`);
  return found;
}"""


@pytest.fixture
def owner(page_chat):
    """An owner of an organization in which something has happened."""
    ana = page_chat.person("ana", role="owner", channels=["kitchen", "garden"])
    ben = page_chat.person("ben", channels=["kitchen", "garden"])
    for topic in ("lunch", "dinner"):
        ben.says("Soup's on", to=f"kitchen > {topic}")
    ben.says("Only for you", to=[ana])
    ana.delete(f"/streams/{page_chat.channel('garden').id}").succeeds()
    return ana


def looked_at(page, where, *, closely):
    """Colours are the same in every language: test_accessibility.py looks at them."""
    found = [f"{where}: {each}" for each in page.evaluate(MISPLACED)]
    if page.evaluate("document.documentElement.dir") == "rtl":
        found += violations(page, where, closely=closely, colours=False)
    return found


@pytest.mark.parametrize("language", thorough_except(["ar"], LANGUAGES))
def test_texts_fit_in_every_language(page_chat, owner, browse, language, thorough):
    owner.patch("/settings", default_language=language).succeeds()
    at_anas = browse(owner, viewport=SMALL)
    page, found = at_anas.page, []
    channel = page_chat.channel("kitchen").id
    views = (
        f"#topics/channel/{channel}-kitchen",
        f"#narrow/channel/{channel}-kitchen/topic/lunch",
        *(VIEWS if thorough else QUICK_VIEWS),
    )

    for view in views:
        at_anas.goes(view)
        found += looked_at(page, view, closely=thorough or view == "#inbox")
        if view.endswith("/topic/lunch"):  # one who writes has more tools
            page.locator(".write textarea").focus()
            expect(page.locator(".box .sizer")).to_have_count(1)
            found += looked_at(page, f"{view}, writing", closely=thorough)
    here = page.url
    for address in DIALOGS if thorough else QUICK_DIALOGS:
        page.evaluate("hash => { location.hash = hash; }", address)
        expect(page.get_by_role("dialog").first).to_be_visible()
        expect(page.locator(".page-of:empty, .pane:empty")).to_have_count(0)
        found += looked_at(page, address, closely=thorough or address == "#organization/users")
        page.keyboard.press("Escape")
        expect(page).to_have_url(here)

    assert page.evaluate("document.documentElement.lang") == language
    assert not found, "\n".join(found)


CUT = """() => [...document.querySelectorAll("dialog[open] nav a, dialog[open] nav button")]
  .flatMap((link) => [link, ...link.querySelectorAll("*")])
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth)
  .map((each) => each.textContent)"""


@pytest.mark.parametrize("language", thorough_except(["de"], LANGUAGES))
def test_no_name_of_a_section_is_cut_on_a_wide_screen(owner, browse, language):
    owner.patch("/settings", default_language=language).succeeds()
    page = browse(owner).goes("#organization/users").page
    sections = page.locator("dialog[open] nav a, dialog[open] nav button")
    expect(sections.nth(10)).to_be_visible()

    assert page.evaluate(CUT) == []


# Words in Latin letters that an Arabic reader sees, outside of names, code and marked English.
LATIN_WORDS = """() => {
  const top = document.querySelector("dialog[open]");
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const each = walker.currentNode.parentElement;
    const isName = each.closest("bdi, code, kbd, time, .pn, .services, [lang=en]");
    if (!isName) texts.push(walker.currentNode.data);
  }
  for (const each of top.querySelectorAll("[placeholder]")) texts.push(each.placeholder);
  return texts.flatMap((text) => text.match(/[A-Za-z]{3,}/g) ?? []);
}"""
# Names of people, channels, products, protocols, keys, commands and parameters.
NAMES = """
    Gotify LiveKit ntfy TURN
    Ana Ben Oven Test garden general kitchen sandbox Atlassian Behance BigBlueButton Bitbucket
    Codeberg Discord Dribbble Facebook GitHub GitLab Google Gravatar Instagram Jitsi Meet LinkedIn
    Mastodon Medium Nextcloud Talk ORCID Stack Overflow Reddit SourceHut Steam Telegram Twitch
    Twitter YouTube Python python Markdown GIF CSV JSON JWT LDAP MCP Model Context Protocol OpenID
    Connect SAML RemoteUser UTC Enter Escape all https example com code tertulia backup discover
    only exclude events webhook secret Harbor URL
"""


def untranslated_words(language: str) -> list[str]:
    """The words of texts that a language lacks: translations may follow later."""
    catalogue = locale.catalogue(language)
    lacking = " ".join(str(catalogue.texts[key]) for key in catalogue.missing)
    return re.findall("[A-Za-z]{3,}", lacking)


def test_no_english_is_left_in_the_administration(page_chat, owner, browse):
    page_chat.person("oven", bot="incoming-webhook", owner=owner)
    owner.patch("/settings", default_language="ar").succeeds()
    page = browse(owner).goes("#organization/users").page
    allowed, found = {*NAMES.split(), *untranslated_words("ar")}, {}

    for section in SECTIONS:
        page.evaluate("hash => { location.hash = hash; }", f"#organization/{section}")
        name, _, inner = section.partition("/")
        expect(page.locator(f".pane[data-section={name}]")).to_be_visible()
        expect(page.locator(".pane .copyline")).to_have_count(1 if inner else 0)
        found[section] = set(page.evaluate(LATIN_WORDS)) - allowed

    assert {section: words for section, words in found.items() if words} == {}


@pytest.mark.parametrize("language", thorough_except(["de", "ar"], LANGUAGES))
def test_pages_before_login_fit_in_every_language(page_chat, browse, language, thorough):
    page_chat.person("ana")
    page, found = browse(None, viewport=SMALL, locale=language).page, []

    for path in DOOR if thorough else DOOR[:1]:
        page.goto(browser_user.address(page_chat, path))
        found += looked_at(page, path, closely=thorough)

    assert page.evaluate("document.documentElement.lang") == language
    assert not found, "\n".join(found)


@pytest.mark.parametrize("language", ["ar", "de"])
def test_nothing_scrolls_sideways_between_320_and_1440_pixels(
    page_chat, owner, browse, language, thorough
):
    owner.patch("/settings", default_language=language).succeeds()
    at_anas, found = browse(owner), []
    page = at_anas.page

    for view in (*VIEWS, *DIALOGS) if thorough else (*QUICK_VIEWS, *QUICK_DIALOGS):
        page.set_viewport_size({"width": 1440, "height": 800})
        if view in VIEWS:
            at_anas.goes(view)
        else:
            page.evaluate("hash => { location.hash = hash; }", view)
            expect(page.get_by_role("dialog").first).to_be_visible()
            expect(page.locator(".page-of:empty, .pane:empty")).to_have_count(0)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            found += [f"{view}, {width}: {each}" for each in page.evaluate(MISPLACED)]

    assert not found, "\n".join(found)
