"""Forms in place of syntax: polls, scheduled messages, reminders; and profile cards."""

import time

from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.files import uploads
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
    form = page.get_by_role("dialog", name="Poll or to-do list")
    form.get_by_role("textbox", name="Question or title").fill("Bread?")
    form.get_by_role("textbox", name="Option 1").fill("no")
    form.get_by_role("textbox", name="Option 2").fill("yes")
    form.get_by_role("textbox", name="Option 2").press("Alt+ArrowUp")
    assert not violations(page, "poll form", closely=True)
    form.get_by_role("button", name="Send").click()

    expect(form).to_have_count(0)
    poll = page.get_by_role("article").filter(has_text="Bread?")
    expect(poll.get_by_role("button", name="Vote for").first).to_have_attribute(
        "aria-label", "Vote for yes, 0 votes"
    )
    expect(box).to_have_value("Half a sentence")


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


def test_a_reminder_offers_the_times_of_scheduled_messages(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page = at_anas.page
    at_anas.message("Soup's on").focus()
    page.keyboard.press("i")
    page.get_by_role("menuitem", name="Remind me").click()

    form = page.get_by_role("dialog", name="Remind me")
    form.get_by_role("button", name="Tomorrow").click()

    expect(form.get_by_label("When")).to_have_value(page.evaluate(TOMORROW_AT_NINE))


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


def test_uploaded_files_are_listed_and_deleted(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    uploads(ana, "menu.txt", b"soup", kind="text/plain")
    page = browse(ana).goes("#inbox").page
    page.evaluate("location.hash = '#settings/uploaded-files'")

    expect(page.get_by_role("link", name="menu.txt")).to_be_visible()
    page.get_by_role("button", name="Delete menu.txt").click()
    page.get_by_role("button", name="Delete the file").click()

    expect(page.get_by_role("link", name="menu.txt")).to_have_count(0)
    assert ana.get("/attachments").succeeds()["attachments"] == []


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
    (bot,) = owner.get("/bots").succeeds()["bots"]
    assert bot["full_name"] == "Weather"
