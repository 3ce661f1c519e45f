"""Living with the page all day: tabs, restarts, lines that fall silent, what was read."""

import re

import pytest
from playwright.sync_api import Request, expect
from tests.support.browser_user import BrowserUser
from tests.support.waiting import eventually

CONNECTED = "Connected"
QUEUE = "localStorage[Object.keys(localStorage).find((key) => key.includes('queue'))]"


ENDING_IN_VIEW = """() => {
  const view = document.querySelector(".main > .scroll").getBoundingClientRect();
  const rows = [...document.querySelectorAll("[role=feed] article")];
  const ends = rows.map((row) => row.getBoundingClientRect().bottom);
  return ends.filter((end) => end > view.top && end <= view.bottom + 2).length;
}"""


def topic(page_chat, channel, topic):
    return f"#narrow/channel/{page_chat.channel(channel).id}-{channel}/topic/{topic}"


def requests_of(sitters: list[BrowserUser], path: str) -> list[str]:
    """Note every request of these tabs for a path."""
    made: list[str] = []

    def note(request: Request) -> None:
        if path in request.url:
            made.append(request.url)

    for user in sitters:
        user.page.on("request", note)
    return made


def test_five_tabs_share_one_poll(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    first = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    expect(first.page.get_by_role("status")).to_have_text(CONNECTED)  # it leads from then on
    tabs = [first, *(first.tab() for _ in range(4))]
    others = requests_of(tabs[1:], "/json/events?")
    for tab in tabs[1:]:
        tab.goes(topic(page_chat, "kitchen", "lunch"))

    ben.says("Bread too", to="kitchen > lunch")

    for tab in tabs:
        expect(tab.message("Bread too")).to_be_attached()
    assert others == []

    first.page.close()
    ben.says("And salt", to="kitchen > lunch")
    for tab in tabs[1:]:
        expect(tab.message("And salt")).to_be_attached()


@pytest.mark.on_one
def test_the_queue_continues_after_a_restart(own_chat, browse):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana, own_chat).goes(topic(own_chat, "kitchen", "lunch"))
    registered = requests_of([at_anas], "/register")

    own_chat.server.restart()
    ben.says("Still hot", to="kitchen > lunch")

    expect(at_anas.message("Still hot")).to_be_attached()
    expect(at_anas.page.get_by_role("status")).to_have_text(CONNECTED)
    assert registered == []


def test_a_server_that_does_not_answer_is_not_called_offline(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    page = browse(ana).goes("#inbox").page

    page.route("**/json/events*", lambda route: route.abort())
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    ana.says("Soup's on", to="kitchen > lunch")

    expect(page.get_by_role("status")).to_contain_text("The server does not answer")


def test_the_page_reports_a_lost_connection_and_catches_up(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Cake", to="kitchen > tea")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))

    at_anas.context.set_offline(True)
    expect(at_anas.page.get_by_role("status")).to_contain_text("You are offline")
    ben.says("Are you there?", to="kitchen > lunch")
    at_anas.goes(topic(page_chat, "kitchen", "tea"))
    expect(at_anas.page.get_by_text("Cannot reach the server")).to_be_visible()
    at_anas.context.set_offline(False)

    expect(at_anas.message("Cake")).to_be_visible()
    at_anas.goes(topic(page_chat, "kitchen", "lunch"))
    expect(at_anas.message("Are you there?")).to_be_attached()
    expect(at_anas.page.get_by_role("status")).to_have_text(CONNECTED)


def test_a_lost_queue_is_registered_again(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    box = at_anas.page.get_by_role("textbox", name="Message to")
    box.fill("Half a sentence")
    eventually(lambda: at_anas.page.evaluate(QUEUE))
    with at_anas.page.expect_response(re.compile("/json/register")):
        ana.delete("/events", queue_id=at_anas.page.evaluate(QUEUE)).succeeds()

    ben.says("Bread too", to="kitchen > lunch")

    expect(at_anas.message("Bread too")).to_be_attached()
    expect(box).to_have_value("Half a sentence")


def test_only_messages_in_view_are_marked_read_at_a_restored_position(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("An old one", to="kitchen > other")
    page_chat.fill(ben, "kitchen > lunch", 60)
    at_anas = browse(ana).goes("#inbox")
    expect(at_anas.page).to_have_title(re.compile(r"^\(61\) Inbox"))

    at_anas.page.get_by_role("link", name="lunch").first.click()
    expect(at_anas.page.get_by_text("60 new").first).to_be_visible()

    def unread():
        narrow = [{"operator": "is", "operand": "unread"}]
        found = ana.get("/messages", anchor="oldest", num_before=0, num_after=99, narrow=narrow)
        return len(found.succeeds()["messages"])

    left = 61 - at_anas.page.evaluate(ENDING_IN_VIEW)
    eventually(lambda: unread() == left)
    assert 1 < left < 61
    at_anas.page.keyboard.press("End")
    expect(at_anas.feed.locator("article").last).to_be_in_viewport()
    left -= at_anas.page.evaluate(ENDING_IN_VIEW)
    eventually(lambda: unread() == left)
    assert left > 1, "the messages in the middle are unread"

    with at_anas.page.expect_response(re.compile("/json/register")):
        ana.delete("/events", queue_id=at_anas.page.evaluate(QUEUE)).succeeds()
    expect(at_anas.feed.locator("article").last).to_be_in_viewport()
    at_anas.page.reload()
    at_anas.page.wait_for_selector("body[data-ready]")
    expect(at_anas.feed.locator("article").last).to_be_in_viewport()
    assert unread() == left


def test_what_was_read_just_before_a_reload_is_marked_after_it(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana, service_workers="block").goes("#inbox")
    at_anas.page.route("**/json/messages/flags", lambda route: None)  # it gets no answer
    with at_anas.page.expect_request("**/json/messages/flags"):
        at_anas.goes(topic(page_chat, "kitchen", "lunch"))
    assert "read" not in ana.sees(soup)["flags"]

    at_anas.page.unroute("**/json/messages/flags")
    at_anas.page.reload()

    eventually(lambda: "read" in ana.sees(soup)["flags"])


def test_messages_read_on_another_device_are_read_here(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes("#inbox")
    expect(at_anas.page.get_by_text("Soup's on")).to_be_visible()

    ana.post("/messages/flags", messages=[soup.id], op="add", flag="read").succeeds()

    expect(at_anas.page.get_by_role("heading", name="All read")).to_be_visible()


@pytest.mark.on_one
def test_a_new_version_is_offered_and_reloading_keeps_the_draft(own_chat, browse):
    ana = own_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana, own_chat, service_workers="block").goes(
        topic(own_chat, "kitchen", "lunch")
    )
    box = at_anas.page.get_by_role("textbox", name="Message to")
    box.fill("Half a sentence")
    at_anas.page.route("**/sw.js?*", lambda route: route.fulfill(body="another"))

    own_chat.server.restart()

    expect(at_anas.page.get_by_role("status")).to_contain_text("newer version")
    at_anas.page.get_by_role("button", name="Reload").click()
    expect(at_anas.page.get_by_role("status")).to_have_text(CONNECTED)
    expect(box).to_have_value("Half a sentence")


def test_switching_dialogs_quickly_leaves_one_open(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    page = browse(ana).goes("#recent").page
    page.evaluate("location.hash = '#settings/preferences'")
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()

    page.evaluate("location.replace('#inbox'); location.hash = '#channels/new'")

    expect(page.get_by_role("dialog", name="New channel")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)
    page.evaluate("location.hash = '#channels/available'")
    expect(page.get_by_role("dialog", name="Channels")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)

    page.keyboard.press("Escape")  # out of all of them
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.wait_for_url("**/#inbox")
    page.go_back()
    page.wait_for_url("**/#recent")


def test_a_reload_keeps_edits_and_dialogs(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ana.says("Soup's on", to="kitchen > lunch")
    here = topic(page_chat, "kitchen", "lunch")
    at_anas = browse(ana).goes(here)
    page = at_anas.page

    at_anas.message("Soup's on").hover()
    at_anas.message("Soup's on").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Edit").click()
    page.get_by_role("textbox", name="Edit the message").fill("Soup is off")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("textbox", name="Edit the message")).to_have_value("Soup is off")

    for address, name in (
        ("#settings/preferences", "Settings"),
        ("#channels/new", "New channel"),
        (f"#user/{ben.id}", "Ben"),
    ):
        page.evaluate("hash => { location.hash = hash; }", address)
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        page.reload()
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        page.keyboard.press("Escape")
    for address in (f"{here}/near/{soup.id}", "#narrow/search/soup"):
        at_anas.goes(address)
        page.reload()
        expect(at_anas.message("Soup")).to_be_visible()
        assert page.url.endswith(address)


def test_an_own_message_sent_after_a_reload_is_not_marked_new(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    page_chat.fill(ben, "kitchen > lunch", 40)
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    user.page.reload()
    box = user.page.get_by_role("textbox", name="Message to")
    box.fill("Coming")
    box.press("Control+Enter")
    expect(user.message("Coming")).to_be_attached()

    found = ana.get("/messages", anchor="newest", num_before=1, num_after=0).succeeds()
    assert "read" in found["messages"][-1]["flags"]
    expect(user.page.get_by_role("button", name="1 new")).to_have_count(0)


@pytest.mark.parametrize("view", ["#feed", "topic"])
def test_a_view_at_its_end_follows_many_messages_a_second(page_chat, browse, view):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    page_chat.fill(ben, "kitchen > lunch", 200)
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch") if view == "topic" else view)
    user.page.keyboard.press("End")
    expect(user.feed.locator("article").last).to_be_in_viewport()

    for number in range(250):
        ben.says(f"Number {number}.", to=f"kitchen > {'lunch' if number % 2 else 'tea'}")

    last = user.message("Number 249.")
    expect(last).to_be_in_viewport()


def test_a_right_to_left_name_does_not_reorder_its_line(page_chat, browse):
    ana, noor = page_chat.people("ana", "نور", channels=["kitchen"])
    noor.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes("#inbox")
    line = user.page.locator(".item .say", has_text="Soup's on").first
    expect(line).to_be_visible()

    direction = line.evaluate("(each) => getComputedStyle(each.querySelector('bdi')).direction")

    assert direction == "ltr"
