"""Writing in a real browser: nothing that was begun or entered is lost, nothing is said twice."""

import re

import pytest
from playwright.sync_api import Locator, Route, expect
from tests.support.browser_user import BrowserUser
from tests.support.people import Person
from tests.support.waiting import eventually


@pytest.fixture
def kitchen(page_chat):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    return ana, ben, f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"


def box(user: BrowserUser) -> Locator:
    return user.page.get_by_role("textbox", name="Message to")


def texts(person: Person) -> list[str]:
    found = person.get("/messages", anchor="newest", num_before=9, num_after=0).succeeds()
    return [message["content"] for message in found["messages"]]


def test_a_draft_is_restored_in_its_compose_box(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).fill("I would rather have")
    user.goes("#inbox").goes(here)
    expect(box(user)).to_have_value("I would rather have")

    user.page.reload()

    expect(box(user)).to_have_value("I would rather have")


def test_a_draft_is_synchronized_to_other_devices(kitchen, browse):
    ana, _, here = kitchen
    one, other = browse(ana).goes(here), browse(ana).goes(here)

    box(one).fill("I would rather have")

    expect(box(other)).to_have_value("I would rather have")


def test_messages_written_offline_are_sent_later_in_order_and_once(kitchen, browse):
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    expect(user.message("Soup's on")).to_be_visible()
    user.context.set_offline(True)
    for text in ("first", "second"):
        box(user).fill(text)
        box(user).press("Control+Enter")
    expect(user.page.locator(".waiting article")).to_have_count(2)

    user.context.set_offline(False)

    expect(user.message("second")).to_be_visible()
    expect(user.page.locator(".waiting article")).to_have_count(0)
    assert [row.inner_text() for row in user.feed.locator(".what").all()][-2:] == [
        "first",
        "second",
    ]
    assert len(texts(ben)) == 3


def test_pending_messages_survive_a_reload(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    user.page.route("**/json/messages", lambda route: route.abort())
    box(user).fill("still here")
    box(user).press("Control+Enter")
    expect(user.page.locator(".waiting article")).to_contain_text(["still here"])
    user.page.unroute("**/json/messages")

    user.page.reload()

    expect(user.message("still here")).to_have_count(1)


def test_messages_are_sent_after_the_browser_storage_was_cleared(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).fill("Soup")
    tools = user.context.new_cdp_session(user.page)
    forgotten = {"origin": user.page.evaluate("origin"), "storageTypes": "indexeddb"}
    tools.send("Storage.clearDataForOrigin", forgotten)

    box(user).press("Control+Enter")

    expect(user.message("Soup")).to_have_count(2)
    expect(box(user)).to_have_value("")


def test_a_refused_message_is_shown_with_its_text_and_error(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)

    box(user).fill("Soup\0")
    box(user).press("Control+Enter")

    failed = user.page.locator(".waiting .failed")
    expect(failed).to_contain_text("Not sent")
    failed.get_by_role("button", name="Edit").click()
    expect(box(user)).to_have_value("Soup\0")
    expect(failed).to_have_count(0)


def test_typeahead_suggests_names(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)

    box(user).press_sequentially("Thanks @be")
    user.page.get_by_role("option").filter(has_text="Ben").wait_for()
    box(user).press("Enter")

    expect(box(user)).to_have_value("Thanks @**Ben** ")


CARET = "() => [document.activeElement.selectionStart, document.activeElement.value]"


def test_renaming_the_open_topic_keeps_text_caret_and_focus(kitchen, browse):
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    soup = ben.says("Bread too", to="kitchen > lunch")
    expect(user.message("Bread too")).to_be_visible()
    box(user).fill("I would rather have soup")
    box(user).press("ArrowLeft")

    ben.patch(f"/messages/{soup.id}", topic="dinner", propagate_mode="change_all").succeeds()

    expect(user.page.get_by_role("heading", name="dinner")).to_be_visible()
    assert user.page.evaluate(CARET) == [23, "I would rather have soup"]
    expect(user.page.get_by_role("textbox", name="Message to dinner in kitchen")).to_be_focused()
    user.page.keyboard.type("n")
    expect(box(user)).to_have_value("I would rather have sounp")
    box(user).press("Control+Enter")
    expect(user.message("sounp")).to_be_visible()
    expect(user.page.get_by_role("heading", name="dinner")).to_be_visible()


def test_the_draft_moves_along_with_a_renamed_topic(kitchen, browse):
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    soup = ben.says("Bread too", to="kitchen > lunch")
    expect(user.message("Bread too")).to_be_visible()
    box(user).fill("I would rather have soup")
    user.goes("#inbox")

    ben.patch(f"/messages/{soup.id}", topic="dinner", propagate_mode="change_all").succeeds()

    user.page.get_by_role("link", name="dinner").first.wait_for()
    user.goes(here.replace("lunch", "dinner"))
    expect(box(user)).to_have_value("I would rather have soup")
    user.goes(here)
    expect(box(user)).to_have_value("")


def test_a_renamed_channel_changes_only_the_name_of_the_destination(kitchen, page_chat, browse):
    ana, _, here = kitchen
    owner = page_chat.person("olga", role="owner")
    user = browse(ana).goes(here)
    box(user).fill("I would rather have soup")

    owner.patch(f"/streams/{page_chat.channel('kitchen').id}", new_name="cellar").succeeds()

    renamed = user.page.get_by_role("textbox", name="Message to lunch in cellar")
    expect(renamed).to_be_focused()
    expect(renamed).to_have_value("I would rather have soup")


def test_a_key_typed_when_the_page_gets_the_focus_is_entered_in_the_box(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).press_sequentially("a")

    user.page.evaluate("document.activeElement.blur()")
    user.page.keyboard.type("n")

    expect(box(user)).to_have_value("an")
    expect(box(user)).to_be_focused()


@pytest.mark.parametrize("key", ["ArrowLeft", "Backspace", "Shift"])
def test_a_key_that_edits_the_text_does_not_end_the_typing(kitchen, browse, key):
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).press_sequentially("ab")
    box(user).press(key)

    user.page.evaluate("document.activeElement.blur()")
    user.page.keyboard.press("ArrowUp")
    user.page.keyboard.type("n")

    expect(box(user)).to_be_focused()
    expect(box(user)).to_have_value(re.compile("n"))


def test_a_topic_that_is_being_entered_keeps_the_focus(kitchen, page_chat, browse):
    ana, _, _ = kitchen
    owner = page_chat.person("olga", role="owner")
    user = browse(ana, service_workers="block")
    held: list[Route] = []
    user.page.route("**/composer-*", lambda route: held.append(route))
    user.goes(f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen")
    field = user.page.get_by_role("textbox", name="Topic")
    field.press_sequentially("din")
    eventually(lambda: user.page.evaluate("1") and held)

    for request in held:
        request.continue_()
    expect(user.page.get_by_role("button", name="kitchen", exact=True)).to_be_visible()
    user.page.keyboard.type("n")
    owner.patch(f"/streams/{page_chat.channel('kitchen').id}", new_name="cellar").succeeds()
    expect(user.page.get_by_role("button", name="cellar", exact=True)).to_be_visible()
    user.page.keyboard.type("er")

    expect(field).to_be_focused()
    expect(field).to_have_value("dinner")


def test_shortcuts_are_ignored_right_after_a_text_field_is_removed(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    user.goes("#search")
    user.page.get_by_role("searchbox", name="Search").press_sequentially("a")

    user.page.evaluate("document.activeElement.remove()")
    user.page.keyboard.press("?")
    expect(user.page.get_by_role("dialog")).to_have_count(0)

    user.page.wait_for_timeout(1100)
    user.page.keyboard.press("?")
    expect(user.page.get_by_role("dialog")).to_be_visible()


def test_the_key_that_sends_is_shown_and_can_be_changed_in_its_menu(page_chat, kitchen, browse):
    ana, _, here = kitchen
    ana.patch("/settings", enter_sends=True).succeeds()
    user = browse(ana).goes(here)
    key = user.page.locator(".keyhint")
    expect(key).not_to_be_visible()
    box(user).press_sequentially("one")
    expect(key).to_be_visible()
    expect(key).to_have_text("Enter")
    box(user).press("Enter")
    expect(user.message("one")).to_be_visible()

    user.page.get_by_role("button", name="How to send").click()
    user.page.get_by_role("menuitemradio", name="Ctrl Enter sends").click()
    expect(key).to_have_text("Ctrl Enter")
    box(user).press_sequentially("two")
    box(user).press("Enter")

    expect(box(user)).to_have_value("two\n")
    box(user).press("Control+Enter")
    expect(user.message("two")).to_be_visible()
    user.message("two").focus()
    user.page.keyboard.press("?")
    send = user.page.get_by_role("dialog").locator("dt", has_text="Send").first
    expect(send.locator("xpath=following-sibling::dd[1]")).to_have_text("Ctrl+Enter")


def test_an_administrator_sets_the_send_key_of_new_accounts(page_chat, browse):
    owner = page_chat.person("ana", role="owner")
    user = browse(owner).goes("#organization/organization-level-user-defaults")
    choice = user.page.get_by_role("switch", name="Enter sends")
    expect(choice).to_be_checked()

    choice.click()
    user.page.get_by_role("button", name="Save").click()

    expect(user.page.get_by_role("button", name="Save")).to_be_hidden()
    user.page.reload()
    expect(choice).not_to_be_checked()
    newcomer = page_chat.person("ben", channels=["kitchen"])
    other = browse(newcomer).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )
    box(other).press_sequentially("one")
    expect(other.page.locator(".keyhint")).to_have_text("Ctrl Enter")
    box(other).press("Enter")
    expect(box(other)).to_have_value("one\n")


def test_a_new_account_sends_with_enter(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)

    box(user).press_sequentially("one")
    box(user).press("Shift+Enter")
    box(user).press_sequentially("two")
    expect(user.page.locator(".keyhint")).to_have_text("Enter")
    box(user).press("Enter")

    expect(user.message("one")).to_contain_text("two")
    expect(box(user)).to_have_value("")


DRAG = """([kind, target]) => {
  const data = new DataTransfer();
  data.items.add(new File(["soup"], "menu.txt", {type: "text/plain"}));
  const event = new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: data});
  document.querySelector(target).dispatchEvent(event);
}"""


def test_a_file_is_dropped_anywhere_in_the_conversation(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana).goes(here)

    user.page.evaluate(DRAG, ["dragenter", "article"])
    expect(user.page.get_by_text("Drop to attach to lunch")).to_be_visible()
    user.page.evaluate(DRAG, ["drop", ".dropping"])

    expect(user.page.locator(".dropping")).to_have_count(0)
    expect(user.page.get_by_role("button", name="Remove menu.txt")).to_be_visible()


def test_the_source_of_a_message_is_shown(kitchen, browse):
    ana, ben, here = kitchen
    ben.says("**Bread** too", to="kitchen > lunch")
    user = browse(ana).goes(here)
    user.message("Bread too").focus()
    user.page.keyboard.press("i")
    user.page.get_by_role("menuitem", name="View the source").click()

    expect(user.page.get_by_role("dialog")).to_contain_text("**Bread** too")


def test_the_link_of_a_topic_is_copied(kitchen, browse):
    ana, _, here = kitchen
    user = browse(ana, permissions=["clipboard-read", "clipboard-write"]).goes(here)
    user.page.get_by_role("button", name="More", exact=True).click()
    user.page.get_by_role("menuitem", name="Copy the link to the topic").click()

    expect(user.page.get_by_text("Copied")).to_be_visible()
    assert user.page.evaluate("navigator.clipboard.readText()").endswith(f"/{here}")
