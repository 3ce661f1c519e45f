"""A channel as a forum: every topic with its opening message."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

LONG = "\n\n".join(f"Line {number} of a long question about the pot." for number in range(1, 13))
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


@pytest.fixture
def cooks(page_chat):
    """Ana and Ben, a long question with two replies, one without, and one that is resolved."""
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    page_chat.long = ben.says(LONG, to="kitchen > The large pot")
    ben.says("Where is the **salt**?", to="kitchen > Salt")
    ben.says("The knives are sharp", to="kitchen > ✔ Knives")
    for person in (ana, ben):
        person.says("On the shelf", to="kitchen > The large pot")
    ana.post(f"/messages/{page_chat.long.id}/reactions", emoji_name="tada").succeeds()
    return ana, ben


def forum_of(browse, person, page_chat, **options):
    channel = page_chat.channel("kitchen").id
    user = browse(person, **options).goes(f"#topics/channel/{channel}-kitchen")
    user.page.get_by_role("radio", name="Forum").click()
    expect(user.page.get_by_role("radio", name="Forum")).to_be_focused()
    return user


def titles(page):
    return page.locator(".post h2")


def test_each_topic_shows_its_opening_message_its_replies_and_its_last_author(
    page_chat, browse, cooks
):
    page = forum_of(browse, cooks[0], page_chat).page

    post = page.get_by_role("article", name="The large pot")
    expect(titles(page)).to_have_text(["The large pot", "Knives", "Salt"])
    expect(post.get_by_text("2 replies, last by Ben")).to_be_visible()
    expect(post.get_by_role("button", name="Ben")).to_be_visible()
    expect(post.get_by_role("button", name="tada, 1")).to_have_attribute("aria-pressed", "true")
    expect(post.get_by_text("Line 12")).not_to_be_in_viewport()
    post.get_by_role("button", name="Read all of it").click()
    expect(post.get_by_text("Line 12")).to_be_in_viewport()
    salt = page.get_by_role("article", name="Salt")
    expect(salt.get_by_text("No reply yet. Be the first.")).to_be_visible()
    expect(salt.get_by_role("button", name="Read all of it")).to_be_hidden()
    expect(salt.locator("strong")).to_have_text("salt")
    post.get_by_role("button", name="tada, 1").click()
    expect(post.get_by_role("button", name="tada")).to_have_count(0)


def test_the_switch_is_kept_for_its_channel(page_chat, browse, cooks):
    ana, _ = cooks
    ana.joins("garden")
    ana.says("Roses", to="garden > Beds")
    user = forum_of(browse, ana, page_chat)
    page = user.page

    user.goes(f"#topics/channel/{page_chat.channel('garden').id}-garden")
    expect(page.get_by_role("radio", name="List")).to_be_checked()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    user.goes(f"#topics/channel/{page_chat.channel('kitchen').id}-kitchen")
    expect(page.get_by_role("article", name="Salt")).to_be_visible()
    page.get_by_role("radio", name="Forum").press("ArrowLeft")

    expect(page.get_by_role("radio", name="List")).to_be_focused()
    expect(page.locator("a.item")).to_have_count(3)


def test_topics_are_ordered_by_reply_by_start_or_are_those_without_a_reply(
    page_chat, browse, cooks
):
    page = forum_of(browse, cooks[0], page_chat).page

    page.get_by_role("button", name="Newest").click()
    expect(titles(page)).to_have_text(["Knives", "Salt", "The large pot"])
    page.get_by_role("button", name="Unanswered 1").click()
    expect(titles(page)).to_have_text(["Salt"])
    cooks[1].says("Behind the sugar", to="kitchen > salt")
    expect(page.get_by_text("1 reply, last by Ben")).to_be_visible()
    page.get_by_role("button", name="Latest").click()
    expect(titles(page)).to_have_text(["salt", "The large pot", "Knives"])
    page.get_by_role("button", name="Unanswered").click()

    expect(page.get_by_role("heading", name="Every question has an answer")).to_be_visible()


def test_new_topics_of_others_wait_until_they_are_asked_for(page_chat, browse, cooks):
    page = forum_of(browse, cooks[0], page_chat).page

    for name in ("Oil", "Vinegar"):
        cooks[1].says("Which one?", to=f"kitchen > {name}")
    fresh = page.get_by_role("button", name="2 new topics")
    expect(fresh).to_be_visible()
    expect(titles(page)).to_have_count(3)
    fresh.click()

    expect(titles(page).first).to_have_text("Vinegar")
    expect(fresh).to_have_count(0)
    expect(page.get_by_role("article", name="Oil").get_by_text("1 new")).to_be_visible()


def test_a_topic_begins_with_its_title_and_similar_ones_are_offered(page_chat, browse, cooks):
    user = forum_of(browse, cooks[0], page_chat)
    page = user.page
    keys = page.keyboard

    page.get_by_role("radio", name="Forum").press("c")
    expect(page.get_by_role("textbox", name="Topic")).to_be_focused()
    keys.type("A lid for the large pan")
    expect(page.get_by_text("Is it this?")).to_be_visible()
    expect(page.locator(".alike").get_by_role("link", name="The large pot")).to_be_visible()
    page.get_by_role("textbox", name="Message to").fill("Has anybody seen it?")
    page.get_by_role("button", name="Start the topic").click()

    expect(titles(page).first).to_have_text("A lid for the large pan")
    expect(page.get_by_role("button", name="What would you like to ask")).to_be_visible()
    page.get_by_role("main").get_by_role("button", name="New topic").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="What would you like to ask")).to_be_focused()


def test_reading_in_the_forum_marks_nothing_as_read_and_keys_move_between_posts(
    page_chat, browse, cooks
):
    page = forum_of(browse, cooks[0], page_chat).page

    page.get_by_role("radio", name="Forum").press("j")
    expect(titles(page).get_by_role("link", name="The large pot")).to_be_focused()
    page.keyboard.press("j")
    expect(titles(page).get_by_role("link", name="Knives")).to_be_focused()
    expect(page.get_by_role("article", name="Knives").get_by_text("1 new")).to_be_visible()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("/topic/"))
    expect(page.get_by_role("heading", name="Knives")).to_be_visible()


def test_a_deleted_opening_message_leaves_its_replies(page_chat, browse, cooks):
    page = forum_of(browse, cooks[0], page_chat).page
    boss = page_chat.person("boss", role="owner")

    boss.delete(f"/messages/{page_chat.long.id}").succeeds()

    expect(page.get_by_text("The opening message was deleted. 2 replies are left.")).to_be_visible()


def test_on_a_phone_the_forum_has_no_sideways_scroll(page_chat, browse, cooks):
    page = forum_of(browse, cooks[0], page_chat, **PHONE).page

    expect(page.get_by_role("article", name="Salt")).to_be_visible()
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")

    assert not wide
    assert page.locator(".scroll").evaluate("each => each.scrollWidth <= each.clientWidth")
