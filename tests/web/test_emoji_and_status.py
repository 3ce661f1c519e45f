"""The emoji picker, and the status of the account."""

import time

from playwright.sync_api import expect
from tests.support.axe import violations
from tests.web.test_views import topic


def test_the_picker_has_groups_tones_and_all_emoji_but_few_elements(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page = at_anas.page
    box = page.get_by_role("textbox", name="Message to")
    box.focus()

    page.get_by_role("button", name="Emoji").first.click()
    picker = page.get_by_role("dialog", name="Emoji")
    expect(picker.get_by_role("heading", name="Most used by you")).to_be_visible()
    picker.get_by_role("button", name="Flags").click()
    expect(picker.locator('[data-of="flags"] button').first).to_be_visible()
    assert picker.locator(".es button").count() < 700
    picker.get_by_role("button", name="Skin tone: none").click()
    picker.get_by_role("radio", name="medium", exact=True).check(force=True)
    assert not violations(page, "picker", closely=True)
    picker.get_by_role("searchbox").fill("wave")
    expect(picker.get_by_role("status")).to_contain_text("found")
    expect(picker.get_by_role("toolbar")).to_be_hidden()
    page.keyboard.press("Enter")

    expect(box).to_have_value("👋🏽 ")
    page.get_by_role("button", name="Emoji").first.click()
    expect(picker.locator(".es button").first).to_have_attribute("data-name", "wave")
    picker.get_by_role("searchbox").fill("zzyx")
    expect(picker.get_by_role("status")).to_have_text("No emoji is called “zzyx”.")
    small, button = picker.bounding_box(), page.get_by_role("button", name="Emoji").first
    assert abs(small["y"] + small["height"] + 4 - button.bounding_box()["y"]) <= 1


def test_a_status_is_set_from_the_menu_and_shown_beside_the_name(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ana.says("Hello", to=[ben])
    at_bens = browse(ben).goes("#inbox")
    page = browse(ana).goes("#inbox").page

    page.get_by_role("button", name="Ana").click()
    page.get_by_role("menuitem", name="Set a status…").click()
    form = page.get_by_role("dialog", name="Your status")
    form.get_by_role("button", name="Working from home").click()
    expect(form.get_by_role("textbox", name="What are you doing?")).to_have_value(
        "Working from home"
    )
    form.get_by_role("switch", name="Appear away").check()
    assert not violations(page, "status", closely=True)
    form.get_by_role("button", name="Save").click()

    expect(form).to_have_count(0)
    expect(page.locator(".me")).to_contain_text("Working from home")
    row = at_bens.nav().get_by_role("link", name="Ana")
    expect(row.get_by_role("img", name="Working from home")).to_have_text("🏠")
    page.get_by_role("button", name="Ana").click()
    expect(page.get_by_role("menuitem", name="Appear active")).to_be_visible()


def test_the_server_stores_the_end_of_a_status(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    page = browse(ana).goes("#inbox").page

    page.get_by_role("button", name="Ana").click()
    page.get_by_role("menuitem", name="Set a status…").click()
    form = page.get_by_role("dialog", name="Your status")
    form.get_by_role("textbox", name="What are you doing?").fill("Tasting")
    form.get_by_role("combobox", name="Until").select_option("half")
    form.get_by_role("button", name="Save").click()
    expect(page.locator(".me")).to_contain_text("Tasting")

    stored = ben.get(f"/users/{ana.id}/status").succeeds()["status"]
    assert 0 < stored["ends_at"] - time.time() <= 1800
    at_bens = browse(ben).goes(topic(page_chat, "kitchen", "lunch"))
    at_bens.message("Soup's on").focus()
    at_bens.page.keyboard.press("u")
    expect(at_bens.page.get_by_role("dialog", name="Ana")).to_contain_text("until")

    page_chat.server.clock.stop()  # however long the request takes, it comes before the end
    ends_at = int(page_chat.server.clock()) + 2
    ana.post("/users/me/status", ends_at=ends_at).succeeds()
    page_chat.server.clock.stopped_at = None
    expect(page.locator(".me")).not_to_contain_text("Tasting")
    expect(page.get_by_role("button", name="Ana")).to_be_visible()
