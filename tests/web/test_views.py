"""Reading: views and their addresses, by keyboard alone, on a phone, and without a line."""

import re
from typing import Any

from playwright.sync_api import Route, expect
from tests.support.browser_user import address
from tests.support.files import uploads
from tests.support.pictures import picture
from tests.support.waiting import eventually

# Whether the worker has kept both the page and its messages; it does so beside answering.
KEPT = """caches.open("tertulia-read").then((kept) => kept.keys()).then((asked) => {
  const paths = asked.map(({ url }) => new URL(url).pathname);
  return paths.includes("/") && paths.includes("/json/messages");
})"""

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


def topic(page_chat, channel, topic):
    return f"#narrow/channel/{page_chat.channel(channel).id}-{channel}/topic/{topic}"


def test_reading_searching_and_replying_work_by_keyboard(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    for words in ("One", "Two", "Three"):
        ben.says(words, to="kitchen > lunch")
    page = browse(ana).goes("#inbox").page
    keys = page.keyboard

    keys.press("n")
    expect(page.get_by_role("heading", name="lunch")).to_be_visible()
    expect(page.get_by_text("3 new").first).to_be_visible()
    keys.press("End")
    expect(page.get_by_role("article").filter(has_text="Three")).to_be_focused()
    keys.press("k")
    expect(page.get_by_role("article").filter(has_text="Two")).to_be_focused()
    keys.press("j")
    expect(page.get_by_role("article").filter(has_text="Three")).to_be_focused()
    keys.press("r")
    expect(page.get_by_role("textbox", name="Message to")).to_be_focused()
    keys.type("j is a letter here")
    keys.press("Control+Enter")
    expect(page.get_by_role("article").filter(has_text="j is a letter")).to_be_visible()
    keys.press("Escape")
    keys.press("/")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    keys.type("from:be")
    expect(page.get_by_role("option", name="from:Ben")).to_be_visible()
    keys.press("ArrowDown")
    keys.press("Enter")
    keys.type("Two")
    keys.press("Enter")
    expect(page.get_by_role("article")).to_have_count(1)
    assert page.url.endswith(f"#narrow/sender/{ben.id}/search/Two")


def test_the_inbox_says_in_words_what_waits_and_has_a_menu(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("@**Ana** soup?", to="kitchen > lunch")
    page = browse(ana).goes("#inbox").page
    summary = page.locator(".sub > span").first

    expect(summary).to_have_text("One message waits. It is for you.")
    for number in range(1, 10):
        ben.says(f"Plate {number}", to=f"kitchen > table {number % 2}")
    expect(summary).to_have_text("10 messages wait in three conversations. One of them is for you.")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="What did I miss?").click()

    expect(page.get_by_role("heading", name="What did I miss?")).to_be_visible()


def test_on_a_phone_the_sidebar_is_a_sheet_and_back_returns(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = uploads(ben, "soup.png", picture(size=(900, 600)), kind="image/png")
    ben.says(f"Soup's on: [soup.png]({soup.url})", to="kitchen > lunch")
    at_anas = browse(ana, **PHONE).goes("#inbox")
    page = at_anas.page

    page.get_by_role("button", name="More").tap()
    page.get_by_role("menuitem", name="Mark all as read").tap()
    expect(page.get_by_role("heading", name="All read")).to_be_visible()
    page.get_by_role("button", name="Open the sidebar").tap()
    at_anas.nav().get_by_role("link", name="kitchen").tap()
    expect(page.get_by_role("heading", name="kitchen")).to_be_visible()
    expect(at_anas.nav()).not_to_be_in_viewport()
    page.get_by_role("main").get_by_role("link", name="lunch").tap()
    at_anas.message("Soup's on").get_by_role("img").tap()
    close = page.get_by_role("dialog", name="Picture").get_by_role("button", name="Close")
    expect(close).to_be_in_viewport(ratio=1)
    close.tap()
    page.get_by_role("button", name="Back").tap()
    expect(page.get_by_role("heading", name="kitchen")).to_be_visible()
    small = page.evaluate(
        "[...document.querySelectorAll('.main button, .main a.item')].filter((each) => "
        "each.offsetParent && each.getBoundingClientRect().height < 24).length"
    )
    assert small == 0


DRAW_THE_HEAD_ANEW = """() => {
  const buttons = document.querySelectorAll(".head button");
  for (const each of buttons) each.replaceWith(each.cloneNode(true));
}"""


def test_clicks_before_the_page_is_ready_are_replayed(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana, **PHONE)
    on_the_way: list[Route] = []
    is_held = True

    def comes(file: Route) -> None:
        if is_held:
            on_the_way.append(file)
        else:
            file.continue_()

    at_anas.page.route("**/interactive-*", comes)
    at_anas.page.goto(address(page_chat, "/#feed"))

    expect(at_anas.message("Soup's on")).to_be_visible()
    at_anas.page.get_by_role("button", name="Open the sidebar").tap()
    expect(at_anas.nav()).not_to_be_in_viewport()
    at_anas.page.evaluate(DRAW_THE_HEAD_ANEW)
    eventually(lambda: on_the_way)
    is_held = False
    for file in on_the_way:
        file.continue_()

    expect(at_anas.nav().get_by_role("link", name="kitchen")).to_be_in_viewport()


def test_the_last_conversations_can_be_read_offline(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page = at_anas.page
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    expect(at_anas.message("Soup's on")).to_be_visible()
    eventually(lambda: page.evaluate(KEPT))

    at_anas.context.set_offline(True)
    page.reload()

    expect(at_anas.message("Soup's on")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("offline")
    at_anas.context.set_offline(False)


def test_internal_links_open_in_the_page(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("Soup's on", to="kitchen > lunch")
    kitchen = page_chat.channel("kitchen").id
    at_anas = browse(ana)
    for channel in (
        f"#narrow/stream/{kitchen}-kitchen/subject/lunch",
        f"#narrow/channel/{kitchen}-renamed/topic/lunch/near/{soup.id}",
        f"#narrow/channel/{kitchen}/topic/lunch/with/{soup.id}",
        "#narrow/stream/kitchen",
        f"#narrow/sender/{ben.id}-Ben",
        "#narrow/search/soup",
        f"#narrow/id/{soup.id}",
    ):
        at_anas.goes(channel)
        expect(at_anas.message("Soup's on")).to_be_visible()

    at_anas.goes(f"#narrow/sender/{ben.id}/has/link/search/soup")
    at_anas.page.get_by_role("link", name="Search without has:link").click()
    expect(at_anas.message("Soup's on")).to_be_visible()

    ana.patch(f"/messages/{soup.id}", topic="dinner", propagate_mode="change_all").succeeds()
    at_anas.goes(f"#narrow/channel/{kitchen}/topic/lunch/with/{soup.id}")
    expect(at_anas.page.get_by_role("heading", name="dinner")).to_be_visible()
    ana.patch(f"/messages/{soup.id}", topic="supper", propagate_mode="change_all").succeeds()
    expect(at_anas.page.get_by_role("heading", name="supper")).to_be_visible()
    expect(at_anas.message("Soup's on")).to_be_visible()


def test_rendered_content_is_interactive(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = uploads(ben, "soup.png", picture(size=(300, 200)), kind="image/png")
    ben.says(
        f"```spoiler The end\nIt was the dog.\n```\n[soup.png]({soup.url})\n"
        "```python\nprint(1)\n```\n$$x^2$$ <time:2026-11-15T10:00:00Z>",
        to="kitchen > lunch",
    )
    ben.says("/poll Soup?\nyes\nno", to="kitchen > lunch")
    choice = {"type": "multiple_choice", "short_name": "A", "long_name": "pea", "reply": "answer A"}
    form = {"type": "choices", "heading": "Which soup?", "choices": [choice]}
    widget = {"widget_type": "zform", "extra_data": form}
    ben.says("Which soup? A: pea", to="kitchen > lunch", widget_content=widget)
    at_anas = browse(ana, timezone_id="Asia/Tokyo").goes(topic(page_chat, "kitchen", "lunch"))
    row, page = at_anas.message("The end"), at_anas.page

    expect(row.get_by_text("It was the dog.")).to_be_hidden()
    row.get_by_text("The end").click()
    expect(row.get_by_text("It was the dog.")).to_be_visible()
    expect(row.locator("time")).to_contain_text("19:00")
    expect(row.locator("math")).to_be_visible()
    row.get_by_role("img").last.click()
    expect(page.get_by_role("dialog", name="Picture").get_by_role("img")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("Vote for yes")).click()
    voted = page.get_by_role("button", name="Vote for yes, 1 vote")
    expect(voted).to_have_attribute("aria-pressed", "true")
    page.get_by_role("group", name="Which soup?").get_by_role("button", name="A: pea").click()
    expect(at_anas.message("@Ben answer A")).to_be_visible()


def test_search_accepts_its_suggestions_and_ignores_accents(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    lucia = page_chat.person("lucía", channels=["kitchen"])
    lucia.says("Soup's on", to="kitchen > lunch")
    ana.says("Coming", to="kitchen > lunch")
    user = browse(ana).goes("#inbox")
    field = user.page.get_by_role("searchbox", name="Search")

    for typed in ("from:luc", "from:lucia"):
        user.goes("#search")
        field.press_sequentially(typed)
        field.press("Enter")
        expect(user.message("Soup's on")).to_be_visible()
        expect(user.message("Coming")).to_have_count(0)
    user.goes("#search")
    field.press_sequentially("from:me")
    field.press("Enter")
    expect(user.message("Coming")).to_be_visible()


def test_every_name_that_is_begun_is_completed(page_chat, browse):
    ana, _, marta = page_chat.people("ana", "chantal", "marta", channels=["kitchen"])
    marta.says("soup", to="kitchen > lunch")
    ana.says("soup of mine", to="kitchen > lunch")
    user = browse(ana)
    field = user.page.get_by_role("searchbox", name="Search")

    for typed in ("from:mar ", "from:mar soup", "soup from:mar", '"soup" from:"mar'):
        user.goes("#search")
        field.press_sequentially(typed)
        field.press("Enter")

        expect(user.message("soup")).to_have_count(1)
        assert f"/sender/{marta.id}" in user.page.url, typed


def test_search_suggests_dates_and_finds_by_them(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes("#search")
    field = user.page.get_by_role("searchbox", name="Search")

    field.press_sequentially("after:")
    user.page.get_by_role("option", name="yesterday").click()
    field.press("Enter")
    expect(user.message("Soup's on")).to_be_visible()

    user.goes("#search")
    field.press_sequentially("before:")
    user.page.get_by_role("option", name="yesterday").click()
    field.press("Enter")
    expect(user.page.get_by_role("status").filter(has_text="0 ")).to_be_visible()
    expect(user.message("Soup's on")).to_have_count(0)


def test_a_search_for_an_unknown_name_links_the_nearest_ones(page_chat, browse):
    ana, lucia = page_chat.people("ana", "lucía", channels=["kitchen"])
    lucia.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes("#search")
    field = user.page.get_by_role("searchbox", name="Search")
    field.press_sequentially("from:lusia")
    field.press("Enter")

    expect(user.page.get_by_role("heading", name="No person has the name lusia")).to_be_visible()
    user.page.get_by_role("link", name="Lucía").click()

    expect(user.message("Soup's on")).to_be_visible()


def test_a_search_that_the_server_rejects_shows_a_text_of_the_page(page_chat, browse):
    user = browse(page_chat.person("ana")).goes("#narrow/is/tasty")

    expect(user.page.get_by_text("The server does not understand this search")).to_be_visible()


def test_typing_goes_on_in_the_search_field_after_a_search(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup now", to="kitchen > lunch")
    user = browse(ana).goes("#search")
    field = user.page.get_by_role("searchbox", name="Search")

    field.press_sequentially("soup")
    field.press("Enter")
    expect(user.message("Soup now")).to_be_visible()
    user.page.keyboard.type(" now")
    expect(field).to_have_value("soup now")
    expect(field).to_be_focused()
    user.page.keyboard.press("ArrowDown")

    expect(user.message("Soup now")).to_be_focused()


def test_a_search_that_fails_counts_nothing(page_chat, browse):
    user = browse(page_chat.person("ana")).goes("#narrow/is/tasty")

    expect(user.page.get_by_text("The server does not understand this search")).to_be_visible()
    expect(user.page.locator(".found-line")).to_have_text("")


def test_the_messages_of_a_topic_in_all_channels_are_a_search(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes("#narrow/topic/lunch")

    expect(user.message("Soup's on")).to_be_visible()
    expect(user.page.get_by_role("searchbox", name="Search")).to_have_value("topic:lunch")
    expect(user.page).not_to_have_title(re.compile("Combined feed"))


def test_the_filters_of_the_inbox_begin_below_its_summary_on_a_phone(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    for number in range(3):
        ana.says("Soup's on", to=f"kitchen > lunch {number}")

    page = browse(ben, viewport={"width": 390, "height": 844}).goes("#inbox").page

    expect(page.locator(".sub .chip")).to_have_count(4)
    summary = page.locator(".sub > span").first.bounding_box()
    first = page.locator(".sub .chip").first.bounding_box()
    assert summary is not None
    assert first is not None
    assert first["x"] == summary["x"]
