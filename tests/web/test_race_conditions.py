"""Several things at once: pressed twice, left before an answer came, changed on its way."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect
from tests.support.browser_user import address
from tests.support.scroll_stability import write_story
from tests.support.waiting import eventually

PRESS_TWICE = """box => {
  const keys = {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true};
  for (const time of [1, 2]) box.dispatchEvent(new KeyboardEvent("keydown", keys));
}"""
HOLD = """asked => {
  const { fetch } = window;
  const waiting = [];
  window.answers = {
    get held() { return waiting.length; },
    release() { window.fetch = fetch; for (const go of waiting) go(); },
  };
  window.fetch = async (...args) => {
    const answer = await fetch(...args);
    if (new RegExp(asked).test(args[0])) await new Promise((go) => waiting.push(go));
    return answer;
  };
}"""
READ_LATE = """
const { json } = Response.prototype;
const released = Promise.withResolvers();
window.release = released.resolve;
Response.prototype.json = async function () {
  const read = await json.call(this);
  if (this.url.includes("ASKED")) { window.isRead = true; await released.promise; }
  return read;
}
"""
TO_TOP = "document.querySelector('.main > .scroll').scrollTop = 0"
SHOWN = "[...document.querySelectorAll('[role=feed] article')].map((row) => Number(row.dataset.id))"


def topic(page_chat, channel, topic):
    return f"#narrow/channel/{page_chat.channel(channel).id}-{channel}/topic/{topic}"


@contextmanager
def held(page: Page, asked: str) -> Iterator[None]:
    """Answers to requests for this are made at once, and arrive when the block ends."""
    if page.url == "about:blank":
        page.add_init_script(f"({HOLD})({asked!r})")
    else:
        page.evaluate(HOLD, asked)
    yield
    eventually(lambda: page.evaluate("answers.held") > 0)
    page.evaluate("answers.release()")


def test_a_double_click_acts_once(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page = at_anas.page
    box = page.get_by_role("textbox", name="Message to")

    box.fill("Coming")
    box.evaluate(PRESS_TWICE)
    expect(at_anas.message("Coming")).to_be_visible()
    expect(box).to_have_value("")
    ben.post(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    at_anas.message("Soup's on").get_by_role("button", name="tada, 1").dblclick()
    expect(at_anas.message("Soup's on").get_by_role("button", name="tada, 2")).to_be_visible()
    page.evaluate("location.hash = '#channels/new'")
    page.get_by_role("textbox", name="Name").fill("garden")
    page.get_by_role("button", name="Create").dblclick()

    expect(page.get_by_role("heading", name="garden")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".toast")).to_have_count(0)
    response = ana.get("/messages", anchor="newest", num_before=9, num_after=0).succeeds()
    assert [each["content"] for each in response["messages"]].count("<p>Coming</p>") == 1


def test_a_late_answer_does_not_affect_the_next_view(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Cake", to="kitchen > tea")
    lunch, tea = topic(page_chat, "kitchen", "lunch"), topic(page_chat, "kitchen", "tea")
    at_anas = browse(ana, service_workers="block").goes(lunch)
    page = at_anas.page

    slow: list[Route] = []
    page.route(re.compile("/dialogs-"), lambda route: slow.append(route))
    page.evaluate("location.hash = '#settings'")
    eventually(lambda: page.evaluate("location.hash") == "#settings" and slow)
    page.go_back()
    expect(page).to_have_url(re.compile("lunch$"))
    slow[0].continue_()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)
    page.keyboard.press("Escape")

    at_anas.message("Soup's on").hover()
    with held(page, r"/json/messages/\d+\?"):
        at_anas.message("Soup's on").get_by_role("button", name="Quote and reply").click()
        at_anas.goes(tea)
    box = page.get_by_role("textbox", name="Message to lunch")
    expect(box).to_have_value(re.compile("Soup's on"))
    at_anas.goes(tea)
    expect(page.get_by_role("textbox", name="Message to tea")).to_have_value("")


@pytest.mark.parametrize(
    ("asked", "first", "second"),
    [
        ("/realm/settings", "#organization/organization-profile", "#organization/users"),
        ("/members", "#channels/{}/subscribers", "#channels/{}/general"),
    ],
    ids=["administration", "a channel's settings"],
)
def test_a_section_drawn_late_does_not_take_the_address_back(
    page_chat, browse, asked, first, second
):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    kitchen = page_chat.channel("kitchen").id
    page = browse(owner).page
    page.add_init_script(READ_LATE.replace("ASKED", asked))

    page.goto(address(page_chat, f"/{first.format(kitchen)}"))
    eventually(lambda: page.evaluate("window.isRead"))
    page.evaluate("hash => { location.hash = hash; release(); }", second.format(kitchen))

    chosen = page.locator(f"[data-page={second.rpartition('/')[2]}][aria-current]")
    expect(chosen).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)
    assert page.evaluate("location.hash") == second.format(kitchen)


def test_going_to_and_fro_while_a_dialog_loads_opens_it_once(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    page = browse(owner, service_workers="block").goes("#inbox").page
    slow: list[Route] = []
    page.route(re.compile("/admin-.*js"), lambda route: slow.append(route))

    for hash in ("#organization/users", "#inbox", "#organization/users"):
        page.evaluate("hash => { location.hash = hash; }", hash)
        eventually(lambda: page.evaluate("location.hash") and slow)
    slow[0].continue_()

    expect(page.locator(".pane[data-section=users]")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)


def test_a_poll_whose_code_did_not_load_is_drawn_later(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("/poll Soup?\nLentils\nLeeks", to="kitchen > lunch")
    at_anas = browse(ana, service_workers="block")
    page = at_anas.page
    chunk = re.compile("/dialogs-")
    page.route(chunk, lambda route: route.abort())
    at_anas.goes(topic(page_chat, "kitchen", "lunch"))
    expect(at_anas.message("/poll Soup?")).to_be_visible()

    page.unroute(chunk)

    expect(at_anas.message("Lentils").get_by_role("button", name="Lentils")).to_be_visible()
    expect(at_anas.message("/poll Soup?")).to_have_count(0)


def test_a_view_or_dialog_whose_code_does_not_load_says_so_and_can_be_tried_again(
    page_chat, browse
):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana, service_workers="block")
    page = at_anas.page
    chunks = re.compile("/(lists|dialogs)-")
    page.route(chunks, lambda route: route.abort())
    at_anas.goes("#recent")
    again = page.get_by_role("button", name="Try again")
    expect(page.get_by_text("The server does not answer.")).to_be_visible()
    page.unroute(chunks)
    again.click()
    expect(page.get_by_role("link", name="lunch").first).to_be_visible()
    expect(again).to_have_count(0)

    page.route(chunks, lambda route: route.abort())
    page.keyboard.press("?")
    expect(page.get_by_text("The server does not answer.")).to_be_visible()
    page.unroute(chunks)
    again.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_inbox_does_not_name_another_view_that_was_opened_during_its_requests(
    page_chat, browse
):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    for words in ("One", "Two"):
        ben.says(words, to="kitchen > lunch")
    at_anas = browse(ana).goes("#recent")
    page = at_anas.page
    page.evaluate(HOLD, "message_ids")
    ben.says("Three", to="kitchen > dinner")
    expect(page.get_by_role("link", name="dinner").first).to_be_visible()

    page.evaluate("location.hash = '#inbox'")
    page.evaluate(f"location.hash = {topic(page_chat, 'kitchen', 'lunch')!r}")
    expect(page.get_by_role("heading", name="lunch")).to_be_visible()
    page.evaluate("answers.release()")

    expect(at_anas.message("Two")).to_be_visible()
    expect(page.get_by_role("heading", name="Inbox")).to_have_count(0)


def test_a_message_elsewhere_leaves_the_other_rows_of_the_inbox_as_they_are(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Bread", to="kitchen > dinner")
    for view in ("#inbox", "#recent", f"#topics/channel/{page_chat.channel('kitchen').id}"):
        page = browse(ana).goes(view).page
        row = page.locator(".list a.item", has_text="lunch")
        row.evaluate("row => row.isAsItWas = true")

        ben.says("More bread", to="kitchen > dinner")
        ben.says("And cake", to="kitchen > tea")
        expect(page.locator(".list a.item", has_text="tea")).to_be_visible()

        assert row.evaluate("row => row.isAsItWas"), view


def test_conversations_that_were_closed_leave_nothing_behind(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    for name in ("lunch", "dinner"):
        ben.says(f"Soup for {name}", to=f"kitchen > {name}")
    at_anas = browse(ana)
    browser = at_anas.page.context.new_cdp_session(at_anas.page)

    def count_after(visits: int) -> tuple[int, int]:
        for name in ["lunch", "dinner"] * visits:
            at_anas.goes(topic(page_chat, "kitchen", name))
            expect(at_anas.message(f"Soup for {name}")).to_be_visible()
            at_anas.page.get_by_role("textbox", name="Message to").click()  # its parts are loaded
        browser.send("HeapProfiler.collectGarbage")
        found = browser.send("Memory.getDOMCounters")
        return found["nodes"], found["jsEventListeners"]

    nodes, listeners = count_after(visits=2)
    more_nodes, more_listeners = count_after(visits=8)

    assert more_nodes - nodes < 8 * 2 * 10
    assert more_listeners - listeners < 8 * 2 * 2


def test_events_during_a_request_are_not_overwritten_by_its_answer(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    owner = page_chat.person("owner", role="owner", channels=["kitchen"])
    found = page_chat.write(write_story, [ana.id, ben.id], "kitchen", "soup", 300)
    ana.post("/mark_all_as_read").succeeds()
    here = topic(page_chat, "kitchen", "soup")
    at_anas = browse(ana, viewport={"width": 800, "height": 500})
    page = at_anas.page

    with held(page, "num_before=100"):
        at_anas.goes(f"{here}/near/{found[100]}")
        eventually(lambda: page.evaluate(f"{TO_TOP}, answers.held"))
        page.keyboard.press("End")
        expect(page.locator(f"#message-{found[-1]}")).to_be_focused()
    eventually(lambda: page.evaluate(f"{TO_TOP}, {SHOWN}[0] < {found[240]}"))
    shown = page.evaluate(SHOWN)
    assert shown == found[found.index(shown[0]) : found.index(shown[-1]) + 1], "there is a gap"

    with held(page, "/json/messages.*with"):
        page.evaluate("hash => { location.hash = hash; }", f"{here}/with/{found[-1]}")
        eventually(lambda: page.evaluate("answers.held") > 0)
        with page.expect_response(re.compile("/json/events")):
            owner.delete(f"/messages/{found[-2]}").succeeds()
    expect(page.locator(f"#message-{found[-1]}")).to_be_visible()
    expect(page.locator(f"#message-{found[-2]}")).to_have_count(0)


def test_messages_fetched_before_their_event_are_marked_read(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana)

    with held(at_anas.page, "/json/events"):
        at_anas.goes("#inbox")
        ben.says("Bread too", to="kitchen > lunch")
        at_anas.goes(topic(page_chat, "kitchen", "lunch"))
        expect(at_anas.message("Bread too")).to_be_visible()

    eventually(lambda: ana.registers()["unread_msgs"]["count"] == 0)


def test_loading_older_messages_at_the_upper_edge_moves_no_row(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    found = page_chat.write(write_story, [ana.id], "kitchen", "soup", 120)
    ana.post("/mark_all_as_read").succeeds()
    at_anas = browse(ana, viewport={"width": 800, "height": 500})
    page = at_anas.page

    with held(page, "num_before=100"):
        at_anas.goes(topic(page_chat, "kitchen", "soup"))
        eventually(lambda: page.evaluate(f"{TO_TOP}, answers.held"))
        first = min(page.evaluate(SHOWN))
        eventually(lambda: page.evaluate(f"{TO_TOP}, {SHOWN}[0]") == first)
        second = page.locator(f"#message-{found[found.index(first) + 1]}")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        before = second.bounding_box()
    eventually(lambda: page.evaluate(f"{SHOWN}[0]") < first)

    assert abs(second.bounding_box()["y"] - before["y"]) <= 1
