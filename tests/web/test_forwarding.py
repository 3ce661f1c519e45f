"""Forwarding a message in the page, and copying links and the source."""

import re

from playwright.sync_api import expect
from tests.support.axe import violations
from tests.web.test_views import PHONE, topic


def test_a_message_is_forwarded_to_a_topic_with_a_comment(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "garden"])
    soup = ben.says("Soup's **on**\n```\ncode\n```", to="kitchen > lunch")
    ana.says("Grass", to="garden > mowing")
    queue = ben.listens_for("message")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page, dialog = at_anas.page, at_anas.page.get_by_role("dialog")

    at_anas.message("Soup's").focus()
    page.keyboard.press("<")
    expect(dialog.get_by_role("combobox", name="To")).to_be_focused()
    page.keyboard.type("mow")
    expect(dialog.get_by_role("option").first).to_contain_text("mowing")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("textbox", name="Comment")).to_be_focused()
    page.keyboard.type("Look here")
    page.keyboard.press("Control+Enter")

    expect(page.get_by_text("Forwarded to garden › mowing")).to_be_visible()
    content = queue.next()["message"]["content"]
    assert content.startswith(f"Look here\n\n@_**Ben|{ben.id}** [said](")
    assert f"near/{soup.id}):\n````quote\nSoup's **on**\n```\ncode\n```\n````" in content
    page.get_by_role("link", name="Open", exact=True).click()
    expect(at_anas.message("Look here")).to_be_visible()


def test_a_message_is_forwarded_to_a_person_and_to_a_new_topic(page_chat, browse):
    ana, ben, cleo = page_chat.people("ana", "ben", "cleo", channels=["kitchen", "garden"])
    ben.says("Soup's on", to="kitchen > lunch")
    queue = cleo.listens_for("message")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page, dialog = at_anas.page, at_anas.page.get_by_role("dialog")

    at_anas.message("Soup's on").hover()
    at_anas.message("Soup's on").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Forward").click()
    dialog.get_by_role("combobox", name="To").fill("@cleo")
    dialog.get_by_role("option", name="Cleo").click()
    dialog.get_by_role("button", name="Forward", exact=True).click()
    expect(page.get_by_text("Forwarded to Cleo")).to_be_visible()
    direct = queue.next()["message"]
    assert direct["type"] == "private"
    assert "Soup" in direct["content"]

    at_anas.message("Soup's on").focus()
    page.keyboard.press("<")
    page.get_by_role("option", name="New topic").click()
    dialog.get_by_role("option", name="garden").click()
    expect(dialog.get_by_role("textbox", name="Topic")).to_be_focused()
    page.keyboard.type("harvest")
    dialog.get_by_role("button", name="Forward", exact=True).click()
    expect(page.get_by_text("Forwarded to garden › harvest")).to_be_visible()
    sent = queue.next()["message"]
    assert (sent["display_recipient"], sent["subject"]) == ("garden", "harvest")


def test_forwarding_needs_the_permission_to_send(page_chat, browse):
    owner = page_chat.person("olga", role="owner", channels=["kitchen", "news"])
    ana = page_chat.person("ana", channels=["kitchen", "news"])
    owner.says("Soup's on", to="kitchen > lunch")
    owner.says("Today", to="news > today")
    news = page_chat.channel("news").id
    only_owners = {"new": page_chat.group("owners")}
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page, dialog = at_anas.page, at_anas.page.get_by_role("dialog")
    at_anas.message("Soup's on").focus()
    page.keyboard.press("<")
    dialog.get_by_role("combobox", name="To").fill("today")
    expect(dialog.get_by_role("option").first).to_contain_text("news")
    page.keyboard.press("Enter")
    dialog.get_by_role("textbox", name="Comment").fill("My words")

    owner.patch(f"/streams/{news}", can_send_message_group=only_owners).succeeds()
    dialog.get_by_role("button", name="Forward", exact=True).click()

    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Comment")).to_have_value("My words")
    found = ana.get("/messages", anchor="newest", num_before=9, num_after=0)
    assert not any("My words" in each["content"] for each in found.succeeds()["messages"])


def test_axe_finds_nothing_in_the_forward_dialog(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    found = []
    for look in ({}, PHONE, {"color_scheme": "dark"}):
        user = browse(ana, **look).goes(topic(page_chat, "kitchen", "lunch"))
        user.message("Soup's on").focus()
        user.page.keyboard.press("<")
        expect(user.page.get_by_role("option").first).to_be_visible()
        found += violations(user.page, "list", inside="dialog[open]", closely=True)
        user.page.get_by_role("combobox", name="To").fill("kitchen")
        user.page.get_by_role("option", name="kitchen").first.click()
        expect(user.page.locator(".pill")).to_be_visible()
        found += violations(user.page, "chosen", inside="dialog[open]", closely=True)

    assert not found, "\n".join(found)


def test_the_source_and_the_links_of_topic_and_channel_are_copied(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's **on**", to="kitchen > lunch")
    here = topic(page_chat, "kitchen", "lunch")
    user = browse(ana, permissions=["clipboard-read", "clipboard-write"]).goes(here)
    page = user.page

    def copied():
        return page.evaluate("navigator.clipboard.readText()")

    user.message("Soup's").focus()
    page.keyboard.press("i")
    page.get_by_role("menuitem", name="View the source").click()
    expect(page.get_by_role("dialog").get_by_text("Soup's **on**")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Copy text").click()
    assert copied() == "Soup's **on**"
    page.keyboard.press("Escape")

    page.locator(".head").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Copy the link to the topic").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert copied().endswith("/" + here)

    user.nav().get_by_role("link", name="kitchen").click(button="right")
    page.get_by_role("menuitem", name="Copy link").click()
    assert re.search(r"/#narrow/channel/\d+-kitchen$", copied())
