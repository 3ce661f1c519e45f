"""The page in Arabic: written from right to left, and no wider than the window."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from tests.support import browser_user

# Arabic letters in a text of the page: the texts are translated, not only mirrored.
ARABIC = "/[\u0621-\u064a]{3}/.test(document.body.innerText)"


def check(page):
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
    assert page.evaluate("document.documentElement.lang") == "ar"
    assert page.evaluate(ARABIC)
    # A page from right to left overflows on the left, where scrolling goes below 0.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# Where the sign and the digit of "+2" are drawn.
PLACES = """element => {
  const [text] = element.childNodes;
  const left = (character) => {
    const range = document.createRange();
    const at = text.data.indexOf(character);
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
  };
  return { sign: left("+"), digit: left("2") };
}"""


@pytest.mark.parametrize("width", [320, 1280])
def test_the_login_page_is_right_to_left_in_arabic(page_chat, browse, width):
    page_chat.person("ana")
    viewport = {"width": width, "height": 700}
    page = browse(None, viewport=viewport, locale="ar").page
    page.goto(browser_user.address(page_chat, "/login/"))

    check(page)


@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_is_right_to_left_in_arabic(page_chat, browse, width):
    ana = page_chat.person("ana", channels=["kitchen"])
    ben = page_chat.person("ben", channels=["kitchen"])
    ben.says("The soup is ready, see https://example.com/" + "soup" * 30, "kitchen", topic="soup")
    ana.patch("/settings", default_language="ar").succeeds()
    at_anas = browse(ana, viewport={"width": width, "height": 700})
    channel = page_chat.channel("kitchen").id

    for view in ("#inbox", f"#narrow/channel/{channel}-kitchen/topic/soup"):
        at_anas.goes(view)
        check(at_anas.page)
    for settings in ("#settings/profile", "#settings/preferences"):
        at_anas.page.evaluate("hash => { location.hash = hash; }", settings)
        expect(at_anas.page.locator(".page-of:not(:empty)").first).to_be_visible()
        check(at_anas.page)
        wide = at_anas.page.evaluate(
            "[...document.querySelectorAll('.page-of, .dialog-body')]"
            ".map((each) => each.scrollWidth - each.clientWidth)"
        )
        assert max(wide) <= 0


def test_the_sidebar_is_on_the_right_in_arabic(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.patch("/settings", default_language="ar").succeeds()
    page = browse(ana).goes("#inbox").page

    side = page.locator(".side").bounding_box()
    assert side["x"] + side["width"] == 1280


def test_a_long_english_name_keeps_its_beginning_in_arabic(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    topic = "Soup and bread for everybody who is here on Monday"
    ana.says("There is soup.", "kitchen", topic=topic)
    ana.patch("/settings", default_language="ar").succeeds()
    channel = page_chat.channel("kitchen").id
    at_anas = browse(ana, viewport={"width": 320, "height": 700})
    page = at_anas.goes(f"#narrow/channel/{channel}-kitchen/topic/{quote(topic)}").page

    expect(page.locator("#title")).to_have_text(topic)
    first_letter, title = page.evaluate("""() => {
        const title = document.querySelector("#title");
        const range = document.createRange();
        range.setStart(title.querySelector("bdi").firstChild, 0);
        range.setEnd(title.querySelector("bdi").firstChild, 1);
        return [range.getBoundingClientRect().left, title.getBoundingClientRect().left];
    }""")
    assert first_letter >= title


def test_the_placeholder_of_the_message_box_begins_at_the_right_in_arabic(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("There is soup.", "kitchen", topic="soup")
    ana.patch("/settings", default_language="ar").succeeds()
    channel = page_chat.channel("kitchen").id
    page = browse(ana).goes(f"#narrow/channel/{channel}-kitchen/topic/soup").page

    box = page.locator(".box textarea")
    expect(box).to_have_css("direction", "rtl")
    box.fill("Is there more?")
    expect(box).to_have_css("direction", "ltr")


def test_a_number_of_more_people_has_its_sign_on_the_left_in_arabic(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    for name in ("ben", "cleo", "dan", "eva", "fay"):
        page_chat.person(name, channels=["kitchen"]).says("Soup's on", to="kitchen > lunch")
    ana.patch("/settings", default_language="ar").succeeds()

    more = browse(ana).goes("#recent").page.locator(".avatars .more").first

    places = more.evaluate(PLACES)
    assert places["sign"] < places["digit"]


def test_a_key_is_not_mirrored_in_arabic(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.patch("/settings", default_language="ar").succeeds()
    ana.says("Soup's on", to="kitchen > lunch")
    kitchen = page_chat.channel("kitchen").id
    user = browse(ana).goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch")

    user.page.get_by_role("article").filter(has_text="Soup's on").focus()
    user.page.keyboard.press("i")

    key = user.page.get_by_role("menuitem").first.locator("kbd")
    expect(key).to_have_text(">")
    expect(key).to_have_css("unicode-bidi", "plaintext")
    assert key.evaluate("each => getComputedStyle(each).direction") == "rtl"  # it stays at the end
