"""What the page shows and measures: nothing leaves the window, frames fit, words say what is so."""

import pytest
from playwright.sync_api import Page, expect
from tests.support.files import uploads
from tests.support.pictures import picture

DOCUMENT_HEIGHTS = "[document.documentElement, document.body].map((each) => each.scrollHeight)"


def topic(house, channel, topic):
    return f"#narrow/channel/{house.channel(channel).id}-{channel}/topic/{topic}"


def test_the_document_is_as_high_as_the_window(house, sit):
    names = [f"channel {number}" for number in range(60)]
    owner = house.person("ana", role="owner", channels=["kitchen", *names])
    owner.says("Soup's on", to="kitchen > lunch")
    sitter = sit(owner, viewport={"width": 1280, "height": 600}, reduced_motion="reduce")
    page, seen = sitter.page, {}

    for view in ("#inbox", topic(house, "kitchen", "lunch"), "#recent", "#search", "#feed"):
        sitter.goes(view)
        _open_all_sections(page)
        seen[view] = page.evaluate(DOCUMENT_HEIGHTS)
        _scroll_past_the_end(page)
        assert page.evaluate("scrollY") == 0
    here = page.url
    for dialog in ("#settings/preferences", "#organization", "#channels", "#keyboard-shortcuts"):
        page.evaluate("hash => { location.hash = hash; }", dialog)
        expect(page.get_by_role("dialog").first).to_be_visible()
        expect(page.locator(".page-of:empty")).to_have_count(0)
        seen[dialog] = page.evaluate(DOCUMENT_HEIGHTS)
        page.keyboard.press("Escape")
        expect(page).to_have_url(here)

    assert {view: heights for view, heights in seen.items() if heights != [600, 600]} == {}


def _open_all_sections(page: Page) -> None:
    for button in page.locator("[data-do=all-channels]").all():
        button.click()


def _scroll_past_the_end(page: Page) -> None:
    page.mouse.move(100, 300)
    for _ in range(5):
        page.mouse.wheel(0, 3000)
    page.wait_for_timeout(50)


def test_code_is_set_in_one_font_and_size(house, sit):
    ana = house.person("ana", channels=["kitchen"])
    ana.says("```python\ndef soup(guests): return guests * 0.3\n```", to="kitchen > lunch")
    sitter = sit(ana).goes(topic(house, "kitchen", "lunch"))
    sitter.page.locator(".codehilite .n").first.wait_for()

    fonts = sitter.page.evaluate(
        "[...document.querySelectorAll('.codehilite pre *')].map(getComputedStyle)"
        ".map((style) => `${style.fontFamily} ${style.fontSize} ${style.fontWeight}`)"
    )

    assert len(set(fonts)) == 1


@pytest.mark.parametrize("size", [(900, 600), (300, 1800), (120, 80)])
def test_the_frame_of_a_picture_has_the_size_of_the_picture(house, sit, size):
    ana = house.person("ana", channels=["kitchen"])
    soup = uploads(ana, "soup.png", picture(size=size), kind="image/png")
    ana.says(f"[soup.png]({soup.url})", to="kitchen > lunch")
    sitter = sit(ana).goes(topic(house, "kitchen", "lunch"))

    frame, image = sitter.page.locator(".pic"), sitter.page.locator(".pic img")
    expect(image).to_be_visible()

    outer, inner = frame.bounding_box(), image.bounding_box()
    assert outer is not None
    assert inner is not None
    assert abs(outer["width"] - inner["width"]) <= 1
    assert inner["width"] <= 361
    assert abs(inner["width"] / inner["height"] - size[0] / size[1]) < 0.05


def test_a_picture_has_its_link_text_as_alternative_text(house, sit):
    ana = house.person("ana", channels=["kitchen"])
    soup = uploads(ana, "soup.png", picture(size=(90, 60)), kind="image/png")
    ana.says(f"[soup.png]({soup.url})", to="kitchen > lunch")
    sitter = sit(ana).goes(topic(house, "kitchen", "lunch"))

    expect(sitter.page.locator(".pic img")).to_have_attribute("alt", "soup.png")


def test_a_me_message_starts_with_the_name_of_its_sender(house, sit):
    ana, ben = house.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("/me waves", to="kitchen > lunch")
    sitter = sit(ana).goes(topic(house, "kitchen", "lunch"))

    expect(sitter.message("waves").locator(".what")).to_have_text("Ben waves")


def test_a_failed_search_shows_the_error_and_no_empty_feed(house, sit):
    ana = house.person("ana", channels=["kitchen"])
    sitter = sit(ana).goes("#narrow/id/soup")

    expect(sitter.page.get_by_role("heading", name="This could not be fetched")).to_be_visible()
    expect(sitter.feed).to_have_count(0)


def test_an_unreachable_server_is_not_shown_as_an_empty_channel(house, sit):
    ana = house.person("ana", channels=["kitchen"])
    soup = ana.says("Soup's on", to="kitchen > lunch")
    ana.post("/messages/flags", messages=[soup.id], op="add", flag="read").succeeds()
    sitter = sit(ana, service_workers="block").goes("#inbox")
    sitter.page.route("**/topics?*", lambda route: route.abort())

    sitter.goes(f"#topics/channel/{house.channel('kitchen').id}-kitchen")

    expect(sitter.page.get_by_text("The server cannot be heard")).to_be_visible()
    sitter.page.unroute_all()
    sitter.page.get_by_role("button", name="Try again").click()
    expect(sitter.page.locator(".main").get_by_role("link", name="lunch")).to_be_visible()


def test_an_unreachable_server_is_not_shown_as_no_conversations(house, sit):
    ana = house.person("ana")
    sitter = sit(ana, service_workers="block")
    sitter.page.route("**/json/messages?*", lambda route: route.abort())

    sitter.goes("#recent")

    expect(sitter.page.get_by_text("The server cannot be heard")).to_be_visible()
    sitter.page.unroute_all()
    sitter.page.get_by_role("button", name="Try again").click()
    expect(sitter.page.get_by_text("The server cannot be heard")).to_have_count(0)
