"""What the page shows and measures: nothing leaves the window, frames fit, words say what is so."""

import pytest
from playwright.sync_api import Page, expect
from tests.support.files import uploads
from tests.support.pictures import picture
from tests.web.test_accessibility import (
    DIALOGS,
    OPENED_BY_KEYS,
    QUICK_DIALOGS,
    close_by_escape,
)

DOCUMENT_HEIGHTS = "[document.documentElement, document.body].map((each) => each.scrollHeight)"


def topic(page_chat, channel, topic):
    return f"#narrow/channel/{page_chat.channel(channel).id}-{channel}/topic/{topic}"


def test_the_document_is_as_high_as_the_window(page_chat, browse, thorough):
    names = [f"channel {number}" for number in range(60)]
    owner = page_chat.person("ana", role="owner", channels=["kitchen", *names])
    soup = uploads(owner, "soup.png", picture(size=(300, 200)), kind="image/png")
    owner.says(f"Soup's on [soup.png]({soup.url})", to="kitchen > lunch")
    user = browse(owner, viewport={"width": 1280, "height": 600})
    page, seen = user.page, {}

    for view in ("#inbox", topic(page_chat, "kitchen", "lunch"), "#recent", "#search", "#feed"):
        user.goes(view)
        _open_all_sections(page)
        seen[view] = page.evaluate(DOCUMENT_HEIGHTS)
        _scroll_past_the_end(page)
        assert page.evaluate("scrollY") == 0
    here = page.url
    for dialog in DIALOGS if thorough else QUICK_DIALOGS:
        page.evaluate("hash => { location.hash = hash; }", dialog)
        expect(page.get_by_role("dialog").first).to_be_visible()
        expect(page.locator(".page-of:empty")).to_have_count(0)
        seen[dialog] = page.evaluate(DOCUMENT_HEIGHTS)
        page.keyboard.press("Escape")
        expect(page).to_have_url(here)
    user.goes(topic(page_chat, "kitchen", "lunch"))
    for key, role, inside in OPENED_BY_KEYS:
        user.message("Soup's on").focus()
        page.keyboard.press(key)
        expect(page.locator(inside).or_(page.get_by_role(role)).first).to_be_visible()
        seen[key] = page.evaluate(DOCUMENT_HEIGHTS)
        close_by_escape(page, inside)

    assert {view: heights for view, heights in seen.items() if heights != [600, 600]} == {}


def _open_all_sections(page: Page) -> None:
    for button in page.locator("[data-do=all-channels]").all():
        button.click()


def _scroll_past_the_end(page: Page) -> None:
    page.mouse.move(100, 300)
    for _ in range(5):
        page.mouse.wheel(0, 3000)
    page.evaluate(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
    )


def test_code_is_set_in_one_font_and_size(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("```python\ndef soup(guests): return guests * 0.3\n```", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    user.page.locator(".codehilite .n").first.wait_for()

    fonts = user.page.evaluate(
        "[...document.querySelectorAll('.codehilite pre *')].map(getComputedStyle)"
        ".map((style) => `${style.fontFamily} ${style.fontSize} ${style.fontWeight}`)"
    )

    assert len(set(fonts)) == 1


@pytest.mark.parametrize("size", [(900, 600), (300, 1800), (120, 80)])
def test_the_frame_of_a_picture_has_the_size_of_the_picture(page_chat, browse, size):
    ana = page_chat.person("ana", channels=["kitchen"])
    soup = uploads(ana, "soup.png", picture(size=size), kind="image/png")
    ana.says(f"[soup.png]({soup.url})", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))

    frame, image = user.page.locator(".pic"), user.page.locator(".pic img")
    expect(image).to_be_visible()

    outer, inner = frame.bounding_box(), image.bounding_box()
    assert outer is not None
    assert inner is not None
    assert abs(outer["width"] - inner["width"]) <= 1
    assert inner["width"] <= 361
    assert abs(inner["width"] / inner["height"] - size[0] / size[1]) < 0.05


@pytest.mark.parametrize("title", ["soup.png", "The soup of Monday"])
def test_a_picture_has_its_link_text_as_alternative_text(page_chat, browse, title):
    ana = page_chat.person("ana", channels=["kitchen"])
    soup = uploads(ana, "soup.png", picture(size=(90, 60)), kind="image/png")
    ana.says(f"[{title}]({soup.url})", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))

    expect(user.page.locator(".pic img")).to_have_attribute("alt", title)


def test_a_me_message_starts_with_the_name_of_its_sender(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("/me waves", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))

    expect(user.message("waves").locator(".what")).to_have_text("Ben waves")


def test_a_failed_search_shows_the_error_and_no_empty_feed(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    user = browse(ana).goes("#narrow/id/soup")

    expect(user.page.get_by_role("heading", name="Could not load this")).to_be_visible()
    expect(user.feed).to_have_count(0)


def test_an_unreachable_server_is_not_shown_as_an_empty_channel(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    soup = ana.says("Soup's on", to="kitchen > lunch")
    ana.post("/messages/flags", messages=[soup.id], op="add", flag="read").succeeds()
    user = browse(ana, service_workers="block").goes("#inbox")
    user.page.route("**/topics?*", lambda route: route.abort())

    user.goes(f"#topics/channel/{page_chat.channel('kitchen').id}-kitchen")

    expect(user.page.get_by_text("Cannot reach the server")).to_be_visible()
    user.page.unroute_all()
    user.page.get_by_role("button", name="Try again").click()
    expect(user.page.locator(".main").get_by_role("link", name="lunch")).to_be_visible()


def test_an_unreachable_server_is_not_shown_as_an_empty_topic(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana, service_workers="block").goes("#inbox")
    user.page.route("**/json/messages?*", lambda route: route.abort())

    user.goes(topic(page_chat, "kitchen", "lunch"))

    expect(user.page.get_by_text("Cannot reach the server")).to_be_visible()
    expect(user.page.get_by_text("Nobody has said anything here yet")).to_have_count(0)
    user.page.unroute_all()
    user.page.get_by_role("button", name="Try again").click()
    expect(user.message("Soup's on")).to_be_visible()


def test_an_unreachable_server_is_not_shown_as_no_conversations(page_chat, browse):
    ana = page_chat.person("ana")
    user = browse(ana, service_workers="block")
    user.page.route("**/json/messages?*", lambda route: route.abort())

    user.goes("#recent")

    expect(user.page.get_by_text("Cannot reach the server")).to_be_visible()
    user.page.unroute_all()
    user.page.get_by_role("button", name="Try again").click()
    expect(user.page.get_by_text("Cannot reach the server")).to_have_count(0)


@pytest.mark.parametrize(
    ("motion", "seconds"), [("no-preference", "0.18s"), ("reduce", "0s")], ids=str
)
def test_menus_and_dialogs_fade_in_unless_a_person_wants_less_motion(
    page_chat, browse, motion, seconds
):
    ana = page_chat.person("ana")
    page = browse(ana, reduced_motion=motion).goes("#inbox").page
    duration = "each => getComputedStyle(each).animationDuration"

    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_have_css("opacity", "1")
    assert dialog.evaluate(duration) == seconds
    page.keyboard.press("Escape")

    page.locator("button.org").click()
    menu = page.get_by_role("menu")
    expect(menu).to_have_css("opacity", "1")
    assert menu.evaluate(duration) == seconds


def test_on_a_phone_a_card_covers_the_view_with_a_veil_and_settings_fill_the_window(
    page_chat, browse
):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = user.goes(topic(page_chat, "kitchen", "lunch")).page

    page.get_by_role("article").get_by_role("button", name="Ana").tap()
    veil = "each => getComputedStyle(each, '::backdrop').backgroundColor"
    assert page.get_by_role("dialog", name="Ana").evaluate(veil) != "rgba(0, 0, 0, 0)"
    page.keyboard.press("Escape")
    page.evaluate("hash => { location.hash = hash; }", "#settings/profile")

    box = page.get_by_role("dialog").bounding_box()
    assert box is not None
    assert box["height"] > 0.9 * 844
    assert box["y"] + box["height"] == pytest.approx(844, abs=1)
