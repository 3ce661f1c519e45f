"""The card "What did I miss?" of the inbox, by pointer and by keyboard."""

import re

from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.waiting import eventually

MUTED = 1


def test_the_card_quotes_what_matters_and_leads_to_the_message(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "hall"])
    ben.says("It is decided: we open at 18:30.", to="hall > Opening night")
    ben.says("@**Ana** how many people do you need?", to="kitchen > Saturday")
    page = browse(ana).goes("#inbox").page
    card = page.get_by_role("region", name="What did I miss?")
    expect(card).to_have_count(0)

    page.get_by_role("button", name="What did I miss?").click()

    expect(card).to_contain_text("2 messages in 2 conversations")
    first, second = card.get_by_role("region").all()
    expect(first).to_contain_text("@Ana how many people do you need?")
    expect(first).to_contain_text("A question to you")
    expect(second).to_contain_text("Decided")
    expect(card.get_by_role("link", name="how many people")).to_be_focused()
    assert violations(page, "what did I miss") == []
    card.get_by_role("link", name="It is decided").click()
    expect(page.get_by_role("heading", name="Opening night")).to_be_visible()
    expect(page.get_by_role("article").filter(has_text="18:30")).to_be_visible()


def test_the_card_opens_from_any_view_and_closes_by_keyboard(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Can somebody bring soup?", to="kitchen > lunch")
    ben.says("We decided on bread.", to="kitchen > lunch")
    page = browse(ana).goes("#recent").page
    card = page.get_by_role("region", name="What did I miss?")

    page.keyboard.press("o")
    expect(card).to_be_visible()
    page.keyboard.press("j")
    expect(card.get_by_role("link").nth(2)).to_be_focused()
    page.keyboard.press("Escape")

    expect(card).to_have_count(0)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()


def test_a_topic_is_summarized_after_the_page_has_said_where_it_is_sent(page_chat, browse):
    page_chat.set("enable_topic_summaries", True)
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup", to="kitchen > lunch")
    kitchen = page_chat.channel("kitchen").id
    page = browse(ana).goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch").page

    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Summarize topic").click()

    dialog = page.get_by_role("dialog", name="Summarize topic")
    expect(dialog).to_contain_text("to the language model at 127.0.0.1")
    assert violations(page, "summarize topic", inside="dialog") == []
    dialog.get_by_role("button", name="Summarize", exact=True).click()
    expect(dialog).to_contain_text("They will eat soup.")
    expect(dialog).to_contain_text("from 1 message")


def test_a_conversation_is_marked_as_read_in_the_card(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Can somebody bring soup?", to="kitchen > lunch")
    ben.says("We decided on bread.", to="kitchen > dinner")
    page = browse(ana).goes("#inbox").page
    page.keyboard.press("o")
    card = page.get_by_role("region", name="What did I miss?")

    card.get_by_role("button", name="Mark as read: lunch").click()

    expect(card.get_by_text("soup")).to_have_count(0)
    expect(card.get_by_text("bread")).to_be_visible()
    eventually(lambda: ana.get("/messages/catch_up").succeeds()["message_count"] == 1)


def test_a_question_is_answered_in_the_card(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("@**Ana** how many people do you need?", to="kitchen > Saturday")
    ben.says("We decided on bread.", to="kitchen > dinner")
    page = browse(ana).goes("#inbox").page
    page.keyboard.press("o")
    card = page.get_by_role("region", name="What did I miss?")
    expect(card.get_by_role("link", name="how many people")).to_be_focused()

    page.keyboard.press("r")
    page.keyboard.type("Four")
    assert violations(page, "answer in the card") == []
    page.keyboard.press("Enter")

    expect(card.get_by_text("how many people")).to_have_count(0)
    expect(card.get_by_role("link", name="bread")).to_be_focused()
    eventually(lambda: newest(ben) == ("Saturday", "Four"))
    eventually(lambda: ana.get("/messages/catch_up").succeeds()["message_count"] == 1)


def newest(person):
    options = {"anchor": "newest", "num_before": 1, "num_after": 0, "apply_markdown": False}
    (found,) = person.get("/messages", **options).succeeds()["messages"]
    return found["subject"], found["content"]


def test_a_poll_is_voted_in_and_a_list_ticked_in_the_card(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("/poll What do we eat?\nSoup\nBread", to="kitchen > dinner")
    ben.says("/todo Shopping\nOnions", to="kitchen > list")
    page = browse(ana).goes("#inbox").page
    page.keyboard.press("o")
    card = page.get_by_role("region", name="What did I miss?")

    card.get_by_role("button", name="Soup").click()
    card.get_by_role("checkbox", name="Onions").click()

    expect(card.get_by_role("button", name="Soup")).to_have_attribute("aria-pressed", "true")
    expect(card.get_by_role("checkbox", name="Onions")).to_be_checked()
    eventually(lambda: quoted(ana) == [])


def quoted(person):
    found = person.get("/messages/catch_up").succeeds()["conversations"]
    return [sentence["text"] for each in found for sentence in each["sentences"]]


def test_the_card_is_cleared_with_the_keyboard(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    for topic, text in (("lunch", "Can somebody bring soup?"), ("dinner", "We decided on bread.")):
        ben.says(text, to=f"kitchen > {topic}")
    page = browse(ana).goes("#inbox").page
    page.keyboard.press("o")
    card = page.get_by_role("region", name="What did I miss?")
    expect(card.locator("a.said").first).to_be_focused()

    page.keyboard.press("e")
    expect(card.locator(".miss")).to_have_count(1)
    page.keyboard.press("e")

    expect(card.locator(".miss")).to_have_count(0)
    eventually(lambda: unread_of(ana) == [])
    page.keyboard.press("Control+z")
    eventually(lambda: len(unread_of(ana)) == 1)


def test_the_card_shows_one_channel_or_one_person(page_chat, browse):
    ana, ben, cem = page_chat.people("ana", "ben", "cem", channels=["kitchen", "hall"])
    ben.says("Can somebody bring soup?", to="kitchen > lunch")
    cem.says("We decided on 18:30.", to="hall > opening")
    page = browse(ana).goes("#inbox").page
    page.keyboard.press("o")
    card = page.get_by_role("region", name="What did I miss?")
    chosen = card.get_by_role("combobox", name="What to show")

    chosen.select_option("hall")
    expect(card.locator(".miss")).to_have_text([re.compile("18:30")])
    chosen.select_option("Ben")
    expect(card.locator(".miss")).to_have_text([re.compile("soup")])
    chosen.select_option("All channels and people")
    expect(card.locator(".miss")).to_have_count(2)


def test_all_of_the_card_is_marked_as_read_by_keyboard_and_undone(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "hall"])
    hall = page_chat.channel("hall").id
    ana.post("/user_topics", stream_id=hall, topic="gossip", visibility_policy=MUTED).succeeds()
    ben.says("Can somebody bring soup?", to="kitchen > lunch")
    ben.says("We decided on bread.", to="kitchen > dinner")
    muted = ben.says("Did you hear?", to="hall > gossip")
    page = browse(ana).goes("#inbox").page
    page.keyboard.press("o")
    card = page.get_by_role("region", name="What did I miss?")

    card.get_by_role("button", name="Mark all 2 as read").focus()
    page.keyboard.press("Enter")

    expect(card).to_have_count(0)
    expect(page.get_by_text("2 messages marked as read.")).to_be_visible()
    eventually(lambda: unread_of(ana) == [muted.id])
    page.keyboard.press("Control+z")
    eventually(lambda: len(unread_of(ana)) == 3)
    expect(page.get_by_role("link", name="lunch").last).to_be_visible()


def unread_of(person):
    found = person.get(
        "/messages", anchor="newest", num_before=10, num_after=0, narrow=[["is", "unread"]]
    ).succeeds()["messages"]
    return [each["id"] for each in found]
