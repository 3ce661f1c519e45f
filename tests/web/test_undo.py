"""For six seconds, what was done can be undone."""

import pytest
from playwright.sync_api import expect


def topic(page_chat, channel, topic):
    return f"#narrow/channel/{page_chat.channel(channel).id}-{channel}/topic/{topic}"


@pytest.fixture
def kitchen(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ana.says("Soup's on", to="kitchen > lunch")
    ben.says("Coming", to="kitchen > lunch")
    return ana, ben, soup, browse(ana).goes(topic(page_chat, "kitchen", "lunch"))


def delete(user):
    user.message("Soup's on").focus()
    user.page.keyboard.press("i")
    user.page.get_by_role("menuitem", name="Delete").click()
    expect(user.message("Soup's on")).to_have_count(0)


def test_undo_restores_a_deleted_message(kitchen):
    ana, _, soup, user = kitchen
    delete(user)

    expect(user.message("Coming")).to_be_focused()
    user.page.get_by_role("button", name="Undo").click()

    expect(user.message("Soup's on")).to_be_visible()
    user.page.wait_for_timeout(6500)
    ana.get(f"/messages/{soup.id}").succeeds()


def test_after_six_seconds_the_message_is_deleted(kitchen):
    ana, _, soup, user = kitchen
    with user.page.expect_response(f"**/json/messages/{soup.id}"):
        delete(user)
    expect(user.page.get_by_role("button", name="Undo")).to_have_count(0)

    expect(user.feed.locator("article:not([hidden])")).to_have_count(1)
    assert ana.get(f"/messages/{soup.id}").json["result"] == "error"


def test_control_z_unmutes_a_topic_and_restores_unread_messages(kitchen):
    _, ben, _, user = kitchen
    page = user.page
    user.message("Coming").focus()
    page.keyboard.press("Shift+M")
    expect(page.get_by_text("lunch is muted.")).to_be_visible()
    with page.expect_response("**/json/user_topics"):
        page.keyboard.press("Control+z")
    expect(page.get_by_text("lunch is muted.")).to_have_count(0)

    user.goes("#inbox")
    ben.says("Tea?", to="kitchen > tea")
    unread = page.locator(".main").get_by_role("link", name="tea")
    expect(unread).to_be_visible()
    page.get_by_role("button", name="Mark all as read").click()
    expect(unread).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(unread).to_be_visible()


def test_leaving_a_channel_and_moving_messages_can_be_undone(kitchen):
    ana, _, _, user = kitchen
    page = user.page
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Leave").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)

    user.message("Soup's on").focus()
    page.keyboard.press("m")
    page.get_by_role("dialog").get_by_role("textbox", name="Topic").fill("dinner")
    page.get_by_role("dialog").get_by_role("button", name="Move").click()
    expect(page.get_by_text("Moved.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_role("heading", name="lunch")).to_be_visible()
    expect(user.message("Soup's on")).to_be_visible()
    subscribed = {each["name"] for each in ana.get("/users/me/subscriptions").json["subscriptions"]}
    assert "kitchen" in subscribed
