"""For six seconds, what was done can be undone."""

import pytest
from playwright.sync_api import expect


def topic(house, channel, topic):
    return f"#narrow/channel/{house.channel(channel).id}-{channel}/topic/{topic}"


@pytest.fixture
def kitchen(house, sit):
    ana, ben = house.people("ana", "ben", channels=["kitchen"])
    soup = ana.says("Soup's on", to="kitchen > lunch")
    ben.says("Coming", to="kitchen > lunch")
    return ana, ben, soup, sit(ana).goes(topic(house, "kitchen", "lunch"))


def delete(sitter):
    sitter.message("Soup's on").focus()
    sitter.page.keyboard.press("i")
    sitter.page.get_by_role("menuitem", name="Delete").click()
    expect(sitter.message("Soup's on")).to_have_count(0)


def test_undo_restores_a_deleted_message(kitchen):
    ana, _, soup, sitter = kitchen
    delete(sitter)

    sitter.page.get_by_role("button", name="Undo").click()

    expect(sitter.message("Soup's on")).to_be_visible()
    sitter.page.wait_for_timeout(6500)
    ana.get(f"/messages/{soup.id}").succeeds()


def test_after_six_seconds_the_message_is_deleted(kitchen):
    ana, _, soup, sitter = kitchen
    with sitter.page.expect_request(f"**/json/messages/{soup.id}"):
        delete(sitter)
    expect(sitter.page.get_by_role("button", name="Undo")).to_have_count(0)

    expect(sitter.feed.locator("article:not([hidden])")).to_have_count(1)
    assert ana.get(f"/messages/{soup.id}").json["result"] == "error"


def test_control_z_unmutes_a_topic_and_restores_unread_messages(kitchen):
    _, ben, _, sitter = kitchen
    page = sitter.page
    sitter.message("Coming").focus()
    page.keyboard.press("Shift+M")
    expect(page.get_by_text("lunch is muted.")).to_be_visible()
    with page.expect_response("**/json/user_topics"):
        page.keyboard.press("Control+z")
    expect(page.get_by_text("lunch is muted.")).to_have_count(0)

    sitter.goes("#inbox")
    ben.says("Tea?", to="kitchen > tea")
    unread = page.locator(".main").get_by_role("link", name="tea")
    expect(unread).to_be_visible()
    page.get_by_role("button", name="Mark all as read").click()
    expect(unread).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(unread).to_be_visible()


def test_leaving_a_channel_and_moving_messages_can_be_undone(kitchen):
    ana, _, _, sitter = kitchen
    page = sitter.page
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Leave").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)

    sitter.message("Soup's on").focus()
    page.keyboard.press("m")
    page.get_by_role("dialog").get_by_role("textbox", name="Topic").fill("dinner")
    page.get_by_role("dialog").get_by_role("button", name="Move").click()
    expect(page.get_by_text("Moved.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_role("heading", name="lunch")).to_be_visible()
    expect(sitter.message("Soup's on")).to_be_visible()
    subscribed = {each["name"] for each in ana.get("/users/me/subscriptions").json["subscriptions"]}
    assert "kitchen" in subscribed
