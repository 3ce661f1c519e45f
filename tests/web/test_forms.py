"""Forms in place of syntax: polls, tables, times, scheduled messages; and profile cards."""

import re
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.files import uploads
from tests.support.waiting import eventually
from tests.web.test_compose_box import rect
from tests.web.test_views import topic

TOMORROW_AT_NINE = """(() => {
  const day = new Date();
  day.setDate(day.getDate() + 1);
  day.setHours(9, 0, 0, 0);
  return new Date(day - day.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
})()"""


def test_the_poll_form_sends_a_poll_and_keeps_the_draft(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    page = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).page
    box = page.get_by_role("textbox", name="Message to")
    box.fill("Half a sentence")

    page.get_by_role("button", name="Poll", exact=True).click()
    form = page.get_by_role("form", name="Poll")
    expect(form.get_by_role("textbox", name="Question")).to_be_focused()
    page.keyboard.type("Bread?")
    form.get_by_role("textbox", name="Option 1").fill("no")
    form.get_by_role("textbox", name="Option 2").fill("yes")
    form.get_by_role("textbox", name="Option 2").press("Alt+ArrowUp")
    assert not violations(page, "poll form", inside=".write")
    form.get_by_role("button", name="Send poll").click()

    expect(form).to_have_count(0)
    poll = page.get_by_role("article").filter(has_text="Bread?")
    expect(poll.get_by_role("button", name="Vote for").first).to_have_attribute(
        "aria-label", "Vote for yes, 0 votes"
    )
    expect(box).to_have_value("Half a sentence")


def test_enter_goes_through_a_poll_and_sending_needs_two_options(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    page = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).page
    page.get_by_role("button", name="Poll", exact=True).click()
    form = page.get_by_role("form", name="Poll")
    expect(form.get_by_role("textbox", name="Question")).to_be_focused()

    for text in ("Bread?", "yes"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect(form.get_by_role("textbox", name="Option 2")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(form.get_by_role("status")).to_have_text("A poll needs two options.")
    page.keyboard.type("no")
    page.keyboard.press("Control+Enter")

    expect(form).to_have_count(0)
    poll = page.get_by_role("article").filter(has_text="Bread?")
    expect(poll.get_by_role("button", name="Vote for")).to_have_count(2)


def test_the_author_of_a_poll_can_keep_its_options(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))

    user.page.get_by_role("button", name="Poll", exact=True).click()
    form = user.page.get_by_role("form", name="Poll")
    form.get_by_role("textbox", name="Question").fill("Bread?")
    form.get_by_role("textbox", name="Option 1").fill("yes")
    form.get_by_role("textbox", name="Option 2").fill("perhaps")
    others = form.get_by_role("checkbox", name="Others may add options")
    expect(others).to_be_checked()
    others.press(" ")
    form.get_by_role("button", name="Send poll").click()

    add = "Add an option"
    poll = user.message("Bread?")
    expect(poll.get_by_text(add)).to_be_visible()
    at_bens = browse(ben).goes(topic(page_chat, "kitchen", "lunch"))
    theirs = at_bens.message("Bread?")
    theirs.get_by_role("button", name="Vote for yes").click()
    expect(theirs.get_by_role("button", name="Vote for yes")).to_have_text("1")
    expect(theirs.get_by_text(add)).to_have_count(0)
    poll.get_by_text(add).click()
    poll.get_by_role("textbox", name=add).fill("no")
    poll.get_by_role("textbox", name=add).press("Enter")
    expect(theirs.get_by_role("button", name="Vote for no")).to_be_visible()


def open_form(page, name):
    page.get_by_role("button", name="Insert and format").click()
    page.get_by_role("menuitem", name=name).click()


@pytest.fixture
def writing(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana, timezone_id="Europe/Madrid").goes(topic(page_chat, "kitchen", "lunch"))
    return user, user.page.get_by_role("textbox", name="Message to")


def test_a_table_is_written_without_its_syntax(writing):
    user, box = writing
    page = user.page
    box.fill("Who brings what:")
    open_form(page, "Table…")
    form = page.get_by_role("form", name="Table")
    expect(form.get_by_role("textbox", name="Column 1", exact=True)).to_be_focused()

    for name, text in {"Column 1": "Who", "Column 2": "What", "Row 1, column 1": "Ana"}.items():
        form.get_by_role("textbox", name=name, exact=True).fill(text)
    form.get_by_role("textbox", name="Row 1, column 2").fill("salt | pepper `a|b`")
    form.get_by_role("button", name="Add a row").click()
    expect(form.get_by_role("textbox", name="Row 3, column 1")).to_be_focused()
    assert not violations(page, "table form", inside=".write")
    form.get_by_role("button", name="Insert").click()

    expect(box).to_be_focused()
    box.press("Control+Enter")
    table = user.feed.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(4)
    expect(table.get_by_role("cell", name="salt | pepper a|b", exact=True)).to_be_visible()


def test_a_time_is_inserted_with_its_offset(writing):
    user, box = writing
    open_form(user.page, "Time…")
    form = user.page.get_by_role("form", name="Time")

    form.get_by_label("Day and time").fill("2027-01-31T18:30")
    form.get_by_label("Day and time").press("Enter")

    expect(box).to_have_value("<time:2027-01-31T18:30:00+01:00> ")
    box.press("Control+Enter")
    expect(user.feed.locator("time[datetime='2027-01-31T17:30:00Z']")).to_be_visible()


def test_a_time_of_another_zone_is_found_by_its_city(writing):
    user, box = writing
    open_form(user.page, "Time…")
    form = user.page.get_by_role("form", name="Time")
    zone = form.get_by_role("combobox", name="Time zone")
    expect(zone).to_have_value("Europe/Madrid")

    form.get_by_label("Day and time").fill("2027-01-31T18:30")
    zone.fill("nowhere")
    form.get_by_role("button", name="Insert").click()
    expect(form).to_be_visible()
    assert zone.evaluate("(field) => field.validationMessage") == "Choose one from the list."
    zone.fill("new yo")
    expect(form.get_by_role("option")).to_have_text(["America/New York"])
    assert not violations(user.page, "time form", inside=".write")
    zone.press("Enter")
    expect(zone).to_have_value("America/New York")
    form.get_by_role("button", name="Insert").click()

    expect(box).to_have_value("<time:2027-01-31T18:30:00-05:00> ")


def test_options_of_a_poll_are_moved_by_their_grips_and_by_keys(writing):
    user, _ = writing
    page = user.page
    page.get_by_role("button", name="Poll", exact=True).click()
    form = page.get_by_role("form", name="Poll")
    form.get_by_role("textbox", name="Question").fill("Soup?")
    for number, text in enumerate(("pea", "onion", "fish"), 1):
        form.get_by_role("textbox", name=f"Option {number}").fill(text)

    grips = form.locator(".grip")
    start, end = rect(grips.nth(2)), rect(grips.nth(0))
    page.mouse.move(start["x"] + 5, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 2, steps=4)
    page.mouse.up()
    expect(form.get_by_role("textbox", name="Option 1")).to_have_value("fish")
    form.get_by_role("textbox", name="Option 1").press("Alt+ArrowDown")
    for number, text in enumerate(("pea", "fish", "onion", ""), 1):
        expect(form.get_by_role("textbox", name=f"Option {number}")).to_have_value(text)
    form.get_by_role("textbox", name="Option 3").press("Alt+ArrowDown")
    expect(form.get_by_role("textbox", name="Option 4")).to_have_value("")


def test_a_spoiler_hides_the_selected_text(writing):
    user, box = writing
    box.fill("The cook did it")
    box.press("Control+a")
    open_form(user.page, "Spoiler…")
    form = user.page.get_by_role("form", name="Spoiler")

    expect(form.get_by_role("textbox", name="Hidden text")).to_have_value("The cook did it")
    form.get_by_role("textbox", name="Title that everybody sees").fill("The end")
    form.get_by_role("button", name="Insert").click()

    expect(box).to_have_value("```spoiler The end\nThe cook did it\n```\n")


def test_a_heading_gets_its_own_line(writing):
    user, box = writing
    box.fill("Before")
    open_form(user.page, "Heading…")
    form = user.page.get_by_role("form", name="Heading")

    form.get_by_role("textbox", name="Text").fill("Menu")
    form.get_by_role("combobox", name="Size").select_option("Large")
    form.get_by_role("button", name="Insert").click()

    expect(box).to_have_value("Before\n# Menu\n")


def test_a_to_do_list_is_sent(writing):
    user, _ = writing
    open_form(user.page, "To-do list…")
    form = user.page.get_by_role("form", name="To-do list")

    form.get_by_role("textbox", name="Title").fill("Shopping")
    form.get_by_role("textbox", name="Option 1").fill("Salt")
    form.get_by_role("button", name="Send list").click()

    expect(user.message("Shopping").get_by_role("checkbox", name="Salt")).to_be_visible()


def test_escape_asks_before_it_discards_a_form(writing):
    user, box = writing
    box.fill("Half a sentence")
    open_form(user.page, "Spoiler…")
    form = user.page.get_by_role("form", name="Spoiler")
    user.page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(box).to_be_focused()

    open_form(user.page, "Spoiler…")
    user.page.keyboard.type("The end")
    user.page.keyboard.press("Escape")
    expect(form.get_by_text("Esc again discards what you entered.")).to_be_visible()
    user.page.keyboard.press("Escape")

    expect(form).to_have_count(0)
    expect(box).to_have_value("Half a sentence")


def test_the_menu_holds_what_a_narrow_toolbar_leaves_out(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    viewport = {"width": 390, "height": 800}
    page = browse(ana, viewport=viewport).goes(topic(page_chat, "kitchen", "lunch")).page
    box = page.get_by_role("textbox", name="Message to")
    box.fill("Soup")
    box.press("Control+a")

    open_form(page, "Bold")

    expect(box).to_have_value("**Soup**")
    box.fill("x" * 9_990)  # the counter needs room, too
    send = rect(page.get_by_role("button", name="How to send"))
    assert send["x"] + send["width"] <= 390


def test_a_call_is_offered_where_the_organization_has_a_provider(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    here = topic(page_chat, "kitchen", "lunch")
    owner.patch("/realm", video_chat_provider=1).succeeds()
    page = browse(owner).goes(here).page
    page.get_by_role("button", name="Video call").click()
    box = page.get_by_role("textbox", name="Message to")
    expect(box).to_have_value(re.compile(r"^\[Join the video call\]\(https://[^)]+/\d+\)$"))

    owner.patch("/realm", video_chat_provider=0).succeeds()
    other = browse(owner).goes(here).page

    expect(other.get_by_role("button", name="Poll", exact=True)).to_be_visible()
    expect(other.get_by_role("button", name="Video call")).to_have_count(0)
    other.get_by_role("button", name="Insert and format").click()
    expect(other.get_by_role("menuitem", name="Poll…")).to_be_visible()
    expect(other.get_by_role("menuitem", name="Video call")).to_have_count(0)


def test_a_scheduled_message_is_changed(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    later = int(time.time()) + 7200
    ana.post(
        "/scheduled_messages",
        type="channel",
        to=page_chat.channel("kitchen").id,
        topic="lunch",
        content="Soup",
        scheduled_delivery_timestamp=later,
    ).succeeds()
    page = browse(ana).goes("#inbox").page
    page.evaluate("location.hash = '#scheduled'")

    page.get_by_role("button", name="Change it").click()
    form = page.get_by_role("dialog", name="Change it")
    form.get_by_role("textbox", name="Text").fill("Soup and bread")
    form.get_by_role("button", name="Save").click()

    expect(page.get_by_role("dialog").get_by_text("Soup and bread")).to_be_visible()
    rows = ana.get("/scheduled_messages").succeeds()["scheduled_messages"]
    assert [row["content"] for row in rows] == ["Soup and bread"]


def test_later_lists_what_is_starred_reminded_of_and_scheduled(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("Soup's on", to="kitchen > lunch")
    ana.post("/messages/flags", messages=[soup.id], op="add", flag="starred").succeeds()
    later = int(time.time()) + 86_400
    ana.post(
        "/reminders", message_id=soup.id, scheduled_delivery_timestamp=later, note="Ask again"
    ).succeeds()
    ana.post(
        "/scheduled_messages",
        type="direct",
        to=[ben.id],
        content="See you",
        scheduled_delivery_timestamp=later,
    ).succeeds()
    page = browse(ana).goes("#recent").page
    page.evaluate("location.hash = '#later'")

    dialog = page.get_by_role("dialog", name="Later")
    for heading in ("Starred", "Reminders", "Scheduled messages"):
        expect(dialog.get_by_role("heading", name=heading)).to_be_visible()
    expect(dialog.get_by_text("See you")).to_be_visible()
    expect(dialog.get_by_role("button", name="Forget it")).to_be_visible()
    assert not violations(page, "later", inside="dialog")
    dialog.get_by_role("link", name="kitchen › lunch").click()

    expect(page.get_by_role("heading", name="lunch")).to_be_visible()


@pytest.mark.parametrize(
    "address, text, way",
    [
        ("#later", "Nothing for later", "Inbox"),
        ("#drafts", "No drafts", "Recent"),
        ("#scheduled", "Nothing is waiting to be sent.", "Recent"),
        ("#reminders", "No reminders", "Inbox"),
    ],
)
def test_an_empty_list_says_how_it_is_filled_and_leads_on(page_chat, browse, address, text, way):
    page = browse(page_chat.person("ana", channels=["kitchen"])).goes("#feed").page
    page.evaluate("hash => { location.hash = hash; }", address)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name=text)).to_be_visible()

    dialog.get_by_role("link", name=way).click()

    expect(dialog).to_have_count(0)
    expect(page.get_by_role("heading", name=way)).to_be_visible()


def test_the_own_time_zone_is_found_by_its_city(page_chat, browse):
    ana = page_chat.person("ana")
    page = browse(ana).goes("#inbox").page
    page.evaluate("location.hash = '#settings/profile'")
    zone = page.get_by_role("combobox", name="Time zone")

    zone.fill("mexico")
    page.get_by_role("option", name="America/Mexico City").click()

    expect(page.get_by_text("Saved")).to_be_visible()
    assert ana.get("/users/me").succeeds()["timezone"] == "America/Mexico_City"


def test_every_form_that_asks_for_a_moment_has_the_same_field(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page = at_anas.page

    for form, label in moment_forms(at_anas):
        form.get_by_role("button", name="Tomorrow").click()
        field = form.get_by_role("textbox", name=label, exact=True)
        expect(field).to_have_value(page.evaluate(TOMORROW_AT_NINE))
        page.keyboard.press("Escape")
        if label == "Day and time":  # what was typed is not thrown away at once
            page.keyboard.press("Escape")
        expect(form).to_have_count(0)


def moment_forms(user):
    """A reminder, a message to be sent later, a time in a message, and the end of a status."""
    page, write = user.page, user.page.get_by_role("textbox", name="Message")
    user.message("Soup's on").focus()
    page.keyboard.press("i")
    page.get_by_role("menuitem", name="Remind me").click()
    yield page.get_by_role("dialog", name="Remind me"), "When"
    write.fill("Bread?")
    page.get_by_role("button", name="How to send").click()
    page.get_by_role("menuitem", name="Send later…").click()
    yield page.get_by_role("dialog", name="Schedule"), "When"
    write.fill("")
    page.get_by_role("button", name="Insert and format").click()
    page.get_by_role("menuitem", name="Time…").click()
    yield page.locator("form.form-in"), "Day and time"
    page.get_by_role("button", name="Ana").click()
    page.get_by_role("menuitem", name="Set a status…").click()
    form = page.get_by_role("dialog", name="Your status")
    form.get_by_role("combobox", name="Until").select_option("choose")
    yield form, "Until"


def test_no_message_is_scheduled_in_the_past(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    page = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).page
    page.get_by_role("textbox", name="Message").fill("Bread?")
    page.get_by_role("button", name="How to send").click()
    page.get_by_role("menuitem", name="Send later…").click()
    form = page.get_by_role("dialog", name="Schedule")

    form.get_by_label("When").fill("2020-01-01T09:00")
    form.get_by_role("button", name="Schedule it").click()
    assert form.get_by_label("When").evaluate("field => field.validity.rangeUnderflow")
    assert ana.get("/scheduled_messages").succeeds()["scheduled_messages"] == []

    form.get_by_role("button", name="Tomorrow").click()
    form.get_by_role("button", name="Schedule it").click()
    expect(page.get_by_text("It will be sent")).to_be_visible()
    assert len(ana.get("/scheduled_messages").succeeds()["scheduled_messages"]) == 1


def test_a_card_shows_shared_channels_and_groups(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen", "garden"])
    ben = page_chat.person("ben", channels=["kitchen"])
    owner.post("/user_groups/create", name="cooks", description="", members=[ben.id]).succeeds()
    ben.says("Soup's on", to="kitchen > lunch")
    page = browse(owner).goes(topic(page_chat, "kitchen", "lunch")).page

    page.get_by_role("article").get_by_role("button", name="Ben").click()

    card = page.get_by_role("dialog", name="Ben")
    expect(card.get_by_role("link", name="kitchen")).to_be_visible()
    expect(card.get_by_role("link", name="garden")).to_have_count(0)
    expect(card.get_by_role("definition").filter(has_text="cooks")).to_be_visible()


def test_a_card_shows_the_local_time_and_when_the_person_was_active(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ana.patch("/settings", twenty_four_hour_time=True).succeeds()
    ben.patch("/settings", timezone="Asia/Tokyo").succeeds()
    ben.says("Soup's on", to="kitchen > lunch")
    ben.post("/users/me/presence", status="active", ping_only=False).succeeds()
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page = user.page
    later = datetime.now(UTC) + timedelta(hours=2, minutes=20)
    user.context.clock.set_fixed_time(later)

    page.get_by_role("article").get_by_role("button", name="Ben").click()

    card = page.get_by_role("dialog", name="Ben")
    expect(card).to_contain_text("active 2 hours ago")
    there = later.astimezone(ZoneInfo("Asia/Tokyo"))
    expect(card).to_contain_text(f"{there:%H:%M} where they are")


def test_a_card_offers_a_mention_and_a_conversation(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana, permissions=["clipboard-read", "clipboard-write"])
    page = user.goes(topic(page_chat, "kitchen", "lunch")).page
    name = page.get_by_role("article").get_by_role("button", name="Ben")
    card = page.get_by_role("dialog", name="Ben")

    name.click()
    expect(card.locator(".up")).to_contain_text("Member · ")
    card.get_by_role("button", name="Copy a mention").click()
    expect(card).to_have_count(0)
    assert page.evaluate("navigator.clipboard.readText()") == "@**Ben**"
    name.click()
    card.get_by_role("link", name="Write to Ben").click()

    expect(page.get_by_role("textbox", name="Message to Ben")).to_be_visible()


def test_a_card_leads_to_the_direct_messages_with_a_person_and_to_the_profile(page_chat, browse):
    names = [f"table {number}" for number in range(8)]
    ana, ben, cleo = page_chat.people("ana", "ben", "cleo", channels=["kitchen", *names])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Just us", to=[ana])
    ben.says("All three", to=[ana, cleo])
    page = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).page
    name = page.get_by_role("article").get_by_role("button", name="Ben")
    card = page.get_by_role("dialog", name="Ben")

    name.click()
    expect(card.locator("dd.shared a")).to_have_count(6)
    card.get_by_role("link", name="Profile").click()
    expect(card.locator("a", has_text="table")).to_have_count(8)
    expect(card.get_by_role("link", name="Profile")).to_have_count(0)
    page.keyboard.press("Escape")
    name.click()
    card.get_by_role("link", name="Messages with them").click()

    messages = page.get_by_role("article")
    expect(messages.get_by_text("Just us")).to_be_visible()
    expect(messages.get_by_text("All three")).to_be_visible()
    expect(messages.get_by_text("Soup's on")).to_have_count(0)


def test_a_card_fits_a_low_window_and_an_unknown_person_has_none(page_chat, browse):
    names = [f"table {number}" for number in range(8)]
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", *names])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana, viewport={"width": 720, "height": 450})
    page = user.goes(topic(page_chat, "kitchen", "lunch")).page

    page.get_by_role("article").get_by_role("button", name="Ben").click()
    card = page.get_by_role("dialog", name="Ben")
    expect(card.locator("dd.shared a")).to_have_count(6)
    box = card.bounding_box()
    assert box is not None
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 450
    page.evaluate("location.hash = '#user/999999'")

    expect(page.get_by_role("dialog", name="Could not load this")).to_be_visible()


def test_the_card_of_a_person_who_has_left_offers_no_conversation(page_chat, browse):
    owner = page_chat.person("olga", role="owner", channels=["kitchen"])
    ben = page_chat.person("ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    owner.delete(f"/users/{ben.id}").succeeds()
    page = browse(owner).goes(topic(page_chat, "kitchen", "lunch")).page

    page.get_by_role("article").get_by_role("button", name="Ben").click()

    card = page.get_by_role("dialog", name="Ben")
    expect(card).to_contain_text("has left")
    expect(card.get_by_role("link", name="Everything they wrote")).to_be_visible()
    expect(card.get_by_role("link", name="Write to Ben")).to_have_count(0)


def test_the_list_of_drafts_says_so_when_its_last_one_is_deleted(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    kitchen = page_chat.channel("kitchen").id
    draft = {"type": "stream", "to": [kitchen], "topic": "lunch", "content": "Soup", "timestamp": 1}
    ana.post("/drafts", drafts=[draft]).succeeds()
    page = browse(ana).goes("#feed").page
    page.evaluate("location.hash = '#drafts'")
    dialog = page.get_by_role("dialog", name="Drafts")
    expect(dialog.get_by_text("Soup")).to_be_visible()
    expect(dialog.get_by_role("heading", level=2)).to_have_count(0)

    dialog.get_by_role("button", name="Throw this draft away").click()

    expect(dialog.get_by_role("heading", level=2)).to_be_visible()


def test_the_zuliprc_of_a_bot_with_a_long_address_is_one_word(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    page_chat.person("the-oven-of-the-kitchen-in-the-old-house", bot="generic", owner=ana)
    page = browse(ana, viewport={"width": 800, "height": 600}).goes("#feed").page
    page.evaluate("location.hash = '#settings/your-bots'")

    link = page.get_by_role("link", name="zuliprc")
    expect(link).to_be_visible()

    lines = (
        "e => { const r = new Range(); r.selectNodeContents(e); return r.getClientRects().length }"
    )
    assert link.evaluate(lines) == 1


def test_uploaded_files_are_listed_and_deleted(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    uploads(ana, "menu.txt", b"soup", kind="text/plain")
    uploads(ana, "guests.txt", b"x" * 2000, kind="text/plain")
    page = browse(ana).goes("#inbox").page
    page.evaluate("location.hash = '#settings/uploaded-files'")

    page.get_by_role("button", name="Delete guests.txt").click()
    page.get_by_role("button", name="Delete the file").click()
    expect(page.get_by_role("link", name="guests.txt")).to_have_count(0)
    expect(page.get_by_text("0 kB in all")).to_be_visible()
    expect(page.get_by_role("link", name="menu.txt")).to_be_visible()
    page.get_by_role("button", name="Delete menu.txt").click()
    page.get_by_role("button", name="Delete the file").click()

    expect(page.get_by_role("link", name="menu.txt")).to_have_count(0)
    expect(page.get_by_text("You have uploaded nothing")).to_be_visible()
    assert ana.get("/attachments").succeeds()["attachments"] == []


def test_people_of_a_profile_field_are_found_by_some_letters(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    _ben, cleo = page_chat.people("ben", "cleo")
    field = owner.post("/realm/profile_fields", name="Deputy", field_type=6).succeeds()["id"]
    page = browse(owner).goes("#settings/profile").page

    page.get_by_role("combobox", name="Deputy").fill("cl")
    page.get_by_role("option", name="Cleo").click()

    expect(page.get_by_role("list", name="Deputy")).to_have_text("Cleo")
    eventually(lambda: _profile_value(owner, field) == f"[{cleo.id}]")
    page.get_by_role("button", name="Remove Cleo").click()
    eventually(lambda: _profile_value(owner, field) in (None, "[]"))


def _profile_value(person, field):
    answer = person.get(f"/users/{person.id}", include_custom_profile_fields=True).succeeds()
    return answer["user"]["profile_data"].get(str(field), {}).get("value")


def test_an_outgoing_webhook_is_added_with_its_address(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    page = browse(owner).goes("#inbox").page
    page.evaluate("location.hash = '#settings/your-bots'")

    page.get_by_role("textbox", name="Name", exact=True).fill("Weather")
    page.get_by_role("textbox", name="Short name").fill("weather")
    page.get_by_role("combobox", name="Kind").select_option("3")
    page.get_by_role("textbox", name="Address", exact=True).fill(
        "https://hooks.example.com/weather"
    )
    page.get_by_role("button", name="Add a bot").click()

    expect(page.get_by_role("link", name="zuliprc")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("link", name="zuliprc").click()
    config = download.value.path().read_text()
    assert config.startswith("[api]\nemail=weather-bot@")
    assert f"key={owner.get('/bots').succeeds()['bots'][0]['api_key']}\n" in config
    (bot,) = owner.get("/bots").succeeds()["bots"]
    assert bot["full_name"] == "Weather"
