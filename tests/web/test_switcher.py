"""The switcher: Ctrl+K, a few letters, Enter."""

import re

import pytest
from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.database_plan import thorough_except
from tests.web.test_accessibility import LOOKS
from tests.web.test_views import PHONE, topic


def switcher(page):
    page.keyboard.press("Control+k")
    return page.get_by_role("combobox", name="Go to a person, channel, topic or view")


def test_letters_and_enter_open_a_person_and_focus_the_compose_box(page_chat, browse):
    ana, lucia = page_chat.people("ana", "lucía", channels=["kitchen"])
    page = browse(ana).goes("#inbox").page

    field = switcher(page)
    expect(field).to_be_focused()
    page.keyboard.type("LUC")
    row = page.get_by_role("option", selected=True)
    expect(row).to_contain_text("Lucía")
    expect(row.locator("b.m")).to_have_text("Luc")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Lucía")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message to Lucía")).to_be_focused()
    assert f"/dm/{lucia.id}-" in page.url


def test_channels_topics_and_views_are_found_and_a_search_is_always_offered(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > soup of the day")
    page = browse(ana).goes("#inbox").page

    switcher(page).fill("soup")
    expect(page.get_by_role("option").first).to_contain_text("soup of the day")
    expect(page.get_by_role("option").last).to_have_text("Search all messages for “soup”")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").filter(has_text="Soup's on")).to_be_visible()
    assert page.url.endswith("#narrow/search/soup")

    switcher(page).fill("#kit")
    expect(page.get_by_role("option").first).to_contain_text("kitchen")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="kitchen")).to_be_visible()

    switcher(page).fill("inb")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()


def test_an_empty_field_lists_unread_and_recent_conversations(page_chat, browse):
    ana, ben, cleo = page_chat.people("ana", "ben", "cleo", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).goes("#inbox")
    cleo.says("Are you there?", to=[ana])
    page = at_anas.page
    expect(at_anas.nav().get_by_role("link", name="Cleo")).to_be_visible()

    field = switcher(page)

    waiting = page.get_by_role("group", name="Waiting for you")
    expect(waiting.get_by_role("option")).to_have_count(1)
    expect(waiting.get_by_role("option", selected=True)).to_contain_text("Cleo")
    expect(page.get_by_role("group", name="Lately").get_by_role("option").first).to_contain_text(
        "lunch"
    )
    field.press("Escape")
    expect(field).to_have_count(0)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    switcher(page)
    expect(page.get_by_role("group", name="Lately")).to_contain_text("lunch")


def test_rows_end_with_the_time_of_the_last_message_or_visit(page_chat, browse):
    ana, ben, cleo = page_chat.people("ana", "ben", "cleo", channels=["kitchen", "garden"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Who waters them?", to="garden > ✔ lemon trees")
    ben.says("Lunch for three", to=[ana, cleo])
    ben.says("Lunch for two", to=[ana])
    ana.post("/mark_all_as_read").succeeds()
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).goes("#inbox")
    page = at_anas.page

    field = switcher(page)
    lately = page.get_by_role("group", name="Lately").get_by_role("option")
    expect(lately.filter(has_text="lunch").locator("time")).to_have_text("1 min")

    expect(lately.filter(has_text="Offline").locator("time")).to_have_text(
        re.compile(r"^\d\d?:\d\d")
    )
    field.fill("l")
    for name in ("lunch", "lemon trees"):
        row = page.get_by_role("option").filter(has_text=name).first
        expect(row.locator("time")).to_have_text(re.compile(r"^\d\d?:\d\d"))
    expect(page.get_by_role("option").filter(has_text="lemon trees")).to_contain_text("resolved")
    field.fill("cleo")
    group = page.get_by_role("option").filter(has_text="Group of 3")
    expect(group.locator("time")).to_have_text(re.compile(r"^\d\d?:\d\d"))


def test_control_enter_opens_a_new_tab_and_the_switcher_is_used_again(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen", "garden"])
    page = browse(ana).goes("#inbox").page

    switcher(page).fill("kitchen")
    with page.expect_popup() as opened:
        page.keyboard.press("Control+Enter")

    expect(opened.value.get_by_role("heading", name="kitchen")).to_be_visible()
    expect(page.get_by_role("combobox")).to_have_count(0)
    switcher(page).fill("gard")
    expect(page.get_by_role("option", selected=True)).to_contain_text("garden")
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox")).to_have_count(0)


def test_escape_restores_focus_and_text(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    page = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).page
    box = page.get_by_role("textbox", name="Message to")
    box.fill("Half a sentence")

    switcher(page).fill("be")
    page.keyboard.press("Escape")

    expect(box).to_be_focused()
    expect(box).to_have_value("Half a sentence")


def test_on_a_phone_the_switcher_fills_the_screen(page_chat, browse):
    ana, _ben = page_chat.people("ana", "ben", channels=["kitchen"])
    page = browse(ana, **PHONE).goes("#inbox").page

    page.get_by_role("button", name="Open the sidebar").tap()
    page.get_by_role("button", name="Search or go to").tap()
    page.get_by_role("combobox").fill("ben")
    expect(page.get_by_role("dialog", name="Go to")).to_have_css("width", "390px")
    page.get_by_role("option").first.tap()

    expect(page.get_by_role("heading", name="Ben")).to_be_visible()


@pytest.mark.parametrize("look", thorough_except(["desk"], LOOKS))
def test_axe_finds_nothing_in_the_switcher(page_chat, browse, look):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to=[ana])
    page = browse(ana, **LOOKS[look]).goes("#inbox").page

    field = switcher(page)
    expect(page.get_by_role("group", name="Waiting for you")).to_be_visible()
    found = violations(page, "empty", closely=True)
    field.fill("e")
    found += violations(page, "found", closely=True)

    assert not found, "\n".join(found)


def test_commands_run_and_show_their_keys(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    page = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).page

    switcher(page).fill("dark")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Theme: Dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    switcher(page).fill("/mute")
    mute = page.get_by_role("option", selected=True)
    expect(mute.locator("kbd")).to_have_text("Shift+M")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Muted", exact=False).first).to_be_visible()
    switcher(page).fill("keyboard")
    page.keyboard.press("Enter")

    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog.get_by_text("Mute the topic, unmute it")).to_be_visible()


def test_commands_of_a_topic_are_offered_in_topics_only(page_chat, browse):
    page = browse(page_chat.person("ana")).goes("#inbox").page

    field = switcher(page)
    field.fill("/log out")
    expect(page.get_by_role("option").first).to_contain_text("Log out")
    field.fill("/mute")
    expect(page.get_by_role("option")).to_have_count(1)
    expect(page.get_by_role("option")).to_contain_text("Search all messages")
