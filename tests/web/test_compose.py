"""Writing in a real browser: nothing that was begun or entered is lost, nothing is said twice."""

import re

import pytest
from playwright.sync_api import Locator, expect
from tests.support.browser_user import BrowserUser
from tests.support.people import Person


@pytest.fixture
def kitchen(house):
    ana, ben = house.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    return ana, ben, f"#narrow/channel/{house.channel('kitchen').id}-kitchen/topic/lunch"


def box(sitter: BrowserUser) -> Locator:
    return sitter.page.get_by_role("textbox", name="Message to")


def said(person: Person) -> list[str]:
    found = person.get("/messages", anchor="newest", num_before=9, num_after=0).succeeds()
    return [message["content"] for message in found["messages"]]


def test_a_draft_is_restored_in_its_compose_box(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)
    box(sitter).fill("I would rather have")
    sitter.goes("#inbox").goes(here)
    expect(box(sitter)).to_have_value("I would rather have")

    sitter.page.reload()

    expect(box(sitter)).to_have_value("I would rather have")


def test_a_draft_is_synchronized_to_other_devices(kitchen, sit):
    ana, _, here = kitchen
    one, other = sit(ana).goes(here), sit(ana).goes(here)

    box(one).fill("I would rather have")

    expect(box(other)).to_have_value("I would rather have")


def test_messages_written_offline_are_sent_later_in_order_and_once(kitchen, sit):
    ana, ben, here = kitchen
    sitter = sit(ana).goes(here)
    expect(sitter.message("Soup's on")).to_be_visible()
    sitter.context.set_offline(True)
    for text in ("first", "second"):
        box(sitter).fill(text)
        box(sitter).press("Control+Enter")
    expect(sitter.page.locator(".waiting article")).to_have_count(2)

    sitter.context.set_offline(False)

    expect(sitter.message("second")).to_be_visible()
    expect(sitter.page.locator(".waiting article")).to_have_count(0)
    assert [row.inner_text() for row in sitter.feed.locator(".what").all()][-2:] == [
        "first",
        "second",
    ]
    assert len(said(ben)) == 3


def test_pending_messages_survive_a_reload(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)
    sitter.page.route("**/json/messages", lambda route: route.abort())
    box(sitter).fill("still here")
    box(sitter).press("Control+Enter")
    expect(sitter.page.locator(".waiting article")).to_contain_text(["still here"])
    sitter.page.unroute("**/json/messages")

    sitter.page.reload()

    expect(sitter.message("still here")).to_have_count(1)


def test_messages_are_sent_after_the_browser_storage_was_cleared(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)
    box(sitter).fill("Soup")
    tools = sitter.context.new_cdp_session(sitter.page)
    forgotten = {"origin": sitter.page.evaluate("origin"), "storageTypes": "indexeddb"}
    tools.send("Storage.clearDataForOrigin", forgotten)

    box(sitter).press("Control+Enter")

    expect(sitter.message("Soup")).to_have_count(2)
    expect(box(sitter)).to_have_value("")


def test_a_refused_message_is_shown_with_its_text_and_error(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)

    box(sitter).fill("x" * 10_001)
    box(sitter).press("Control+Enter")

    failed = sitter.page.locator(".waiting .failed")
    expect(failed).to_contain_text("Not sent")
    failed.get_by_role("button", name="Edit").click()
    expect(box(sitter)).to_have_value("x" * 10_001)
    expect(failed).to_have_count(0)


def test_typeahead_suggests_names(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)

    box(sitter).press_sequentially("Thanks @be")
    sitter.page.get_by_role("option").filter(has_text="Ben").wait_for()
    box(sitter).press("Enter")

    expect(box(sitter)).to_have_value("Thanks @**Ben** ")


def test_a_file_is_uploaded_into_the_text(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)

    with sitter.page.expect_file_chooser() as chooser:
        sitter.page.get_by_role("button", name="Attach a file").click()
    chooser.value.set_files({"name": "menu.txt", "mimeType": "text/plain", "buffer": b"soup"})

    expect(box(sitter)).to_have_value(re.compile(r"\[menu\.txt\]\(/user_uploads/"))


CARET = "() => [document.activeElement.selectionStart, document.activeElement.value]"


def test_renaming_the_open_topic_keeps_text_caret_and_focus(kitchen, sit):
    ana, ben, here = kitchen
    sitter = sit(ana).goes(here)
    soup = ben.says("Bread too", to="kitchen > lunch")
    expect(sitter.message("Bread too")).to_be_visible()
    box(sitter).fill("I would rather have soup")
    box(sitter).press("ArrowLeft")

    ben.patch(f"/messages/{soup.id}", topic="dinner", propagate_mode="change_all").succeeds()

    expect(sitter.page.get_by_role("heading", name="dinner")).to_be_visible()
    assert sitter.page.evaluate(CARET) == [23, "I would rather have soup"]
    expect(sitter.page.get_by_role("textbox", name="Message to dinner in kitchen")).to_be_focused()
    sitter.page.keyboard.type("n")
    expect(box(sitter)).to_have_value("I would rather have sounp")
    box(sitter).press("Control+Enter")
    expect(sitter.message("sounp")).to_be_visible()
    expect(sitter.page.get_by_role("heading", name="dinner")).to_be_visible()


def test_the_draft_moves_along_with_a_renamed_topic(kitchen, sit):
    ana, ben, here = kitchen
    sitter = sit(ana).goes(here)
    soup = ben.says("Bread too", to="kitchen > lunch")
    expect(sitter.message("Bread too")).to_be_visible()
    box(sitter).fill("I would rather have soup")
    sitter.goes("#inbox")

    ben.patch(f"/messages/{soup.id}", topic="dinner", propagate_mode="change_all").succeeds()

    sitter.page.get_by_role("link", name="dinner").first.wait_for()
    sitter.goes(here.replace("lunch", "dinner"))
    expect(box(sitter)).to_have_value("I would rather have soup")
    sitter.goes(here)
    expect(box(sitter)).to_have_value("")


def test_a_renamed_channel_changes_only_the_name_of_the_destination(kitchen, house, sit):
    ana, _, here = kitchen
    owner = house.person("olga", role="owner")
    sitter = sit(ana).goes(here)
    box(sitter).fill("I would rather have soup")

    owner.patch(f"/streams/{house.channel('kitchen').id}", new_name="cellar").succeeds()

    renamed = sitter.page.get_by_role("textbox", name="Message to lunch in cellar")
    expect(renamed).to_be_focused()
    expect(renamed).to_have_value("I would rather have soup")


def test_a_key_typed_when_the_page_gets_the_focus_is_entered_in_the_box(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)
    box(sitter).press_sequentially("a")

    sitter.page.evaluate("document.activeElement.blur()")
    sitter.page.keyboard.type("n")

    expect(box(sitter)).to_have_value("an")
    expect(box(sitter)).to_be_focused()


def test_shortcuts_are_ignored_right_after_a_text_field_is_removed(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)
    sitter.goes("#search")
    sitter.page.get_by_role("searchbox", name="Search").press_sequentially("a")

    sitter.page.evaluate("document.activeElement.remove()")
    sitter.page.keyboard.press("?")
    expect(sitter.page.get_by_role("dialog")).to_have_count(0)

    sitter.page.wait_for_timeout(1100)
    sitter.page.keyboard.press("?")
    expect(sitter.page.get_by_role("dialog")).to_be_visible()


def test_the_key_that_sends_is_shown_and_can_be_changed_in_its_menu(house, kitchen, sit):
    ana, _, here = kitchen
    ana.patch("/settings", enter_sends=True).succeeds()
    sitter = sit(ana).goes(here)
    key = sitter.page.locator(".keyhint")
    expect(key).not_to_be_visible()
    box(sitter).press_sequentially("one")
    expect(key).to_be_visible()
    expect(key).to_have_text("Enter")
    box(sitter).press("Enter")
    expect(sitter.message("one")).to_be_visible()

    sitter.page.get_by_role("button", name="How to send").click()
    sitter.page.get_by_role("menuitemradio", name="Ctrl Enter sends").click()
    expect(key).to_have_text("Ctrl Enter")
    box(sitter).press_sequentially("two")
    box(sitter).press("Enter")

    expect(box(sitter)).to_have_value("two\n")
    box(sitter).press("Control+Enter")
    expect(sitter.message("two")).to_be_visible()
    sitter.message("two").focus()
    sitter.page.keyboard.press("?")
    send = sitter.page.get_by_role("dialog").locator("dt", has_text="Send").first
    expect(send.locator("xpath=following-sibling::dd[1]")).to_have_text("Ctrl+Enter")


def test_an_administrator_sets_the_send_key_of_new_accounts(house, sit):
    owner = house.person("ana", role="owner")
    sitter = sit(owner).goes("#organization/organization-settings")
    choice = sitter.page.get_by_role("checkbox", name="Enter sends")
    expect(choice).to_be_checked()

    choice.click()

    expect(choice).not_to_be_checked()
    sitter.page.reload()
    expect(choice).not_to_be_checked()


DRAG = """([kind, target]) => {
  const data = new DataTransfer();
  data.items.add(new File(["soup"], "menu.txt", {type: "text/plain"}));
  const event = new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: data});
  document.querySelector(target).dispatchEvent(event);
}"""


def test_a_file_is_dropped_anywhere_in_the_conversation(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana).goes(here)

    sitter.page.evaluate(DRAG, ["dragenter", "article"])
    expect(sitter.page.get_by_text("Drop to attach to lunch")).to_be_visible()
    sitter.page.evaluate(DRAG, ["drop", ".dropping"])

    expect(sitter.page.locator(".dropping")).to_have_count(0)
    expect(box(sitter)).to_have_value(re.compile(r"\[menu\.txt\]\(/user_uploads/"))


def test_the_source_of_a_message_is_shown(kitchen, sit):
    ana, ben, here = kitchen
    ben.says("**Bread** too", to="kitchen > lunch")
    sitter = sit(ana).goes(here)
    sitter.message("Bread too").focus()
    sitter.page.keyboard.press("i")
    sitter.page.get_by_role("menuitem", name="View the source").click()

    expect(sitter.page.get_by_role("dialog")).to_contain_text("**Bread** too")


def test_the_link_of_a_topic_is_copied(kitchen, sit):
    ana, _, here = kitchen
    sitter = sit(ana, permissions=["clipboard-read", "clipboard-write"]).goes(here)
    sitter.page.get_by_role("button", name="More", exact=True).click()
    sitter.page.get_by_role("menuitem", name="Copy the link to the topic").click()

    expect(sitter.page.get_by_text("Copied")).to_be_visible()
    assert sitter.page.evaluate("navigator.clipboard.readText()").endswith(f"/{here}")
