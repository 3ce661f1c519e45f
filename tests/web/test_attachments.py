"""Attachments of the compose box: chips above the text, links at the end of the message."""

import re

import pytest
from playwright.sync_api import Locator, expect
from tests.support.axe import violations
from tests.support.browser_user import BrowserUser
from tests.support.files import uploads
from tests.support.people import Person
from tests.support.pictures import picture
from tests.web.test_compose import box, kitchen  # noqa: F401

PASTE_A_FILM = """() => {
  const data = new DataTransfer();
  data.items.add(new File([new ArrayBuffer(26 * 1024 * 1024)], "film.mov"));
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true });
  document.querySelector("textarea").dispatchEvent(event);
}"""
LINK = r"\[%s\]\(/user_uploads/\S+\)"


def menu(name="menu.txt", size=4):
    return {"name": name, "mimeType": "text/plain", "buffer": b"x" * size}


def attach(user: BrowserUser, *files) -> None:
    with user.page.expect_file_chooser() as chooser:
        user.page.get_by_role("button", name="Attach a file").click()
    chooser.value.set_files([*files])


def chips(user: BrowserUser) -> Locator:
    return user.page.get_by_role("list", name="Attachments").get_by_role("listitem")


def source_of_last(person: Person) -> str:
    found = person.get(
        "/messages", anchor="newest", num_before=1, num_after=0, apply_markdown=False
    ).succeeds()
    return str(found["messages"][-1]["content"])


def test_files_are_chips_above_the_text_and_links_in_the_message(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    photo = {"name": "soup.png", "mimeType": "image/png", "buffer": picture()}

    attach(user, photo, menu())
    box(user).fill("Here is the menu.")

    expect(chips(user)).to_have_count(2)
    expect(chips(user).first.locator("img")).to_be_visible()
    expect(user.page.get_by_role("button", name="Remove menu.txt")).to_be_visible()
    expect(box(user)).to_have_value("Here is the menu.")
    assert not violations(user.page, "attachments", inside=".write")
    box(user).press("Control+Enter")
    expect(user.message("Here is the menu.")).to_be_visible()
    expect(chips(user)).to_have_count(0)
    expected = "Here is the menu.\n" + LINK % r"soup\.png" + "\n" + LINK % r"menu\.txt"
    assert re.fullmatch(expected, source_of_last(ben))


def test_a_removed_attachment_is_not_sent_and_the_keyboard_goes_on(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    attach(user, menu("one.txt"), menu("two.txt"))
    expect(user.page.get_by_role("button", name=re.compile("^Remove"))).to_have_count(2)
    box(user).fill("Only the second")

    user.page.get_by_role("button", name="Remove one.txt").press("Enter")

    expect(user.page.get_by_role("button", name="Remove two.txt")).to_be_focused()
    box(user).press("Control+Enter")
    expect(user.message("Only the second")).to_be_visible()
    assert re.fullmatch("Only the second\n" + LINK % r"two\.txt", source_of_last(ben))


def test_a_message_waits_for_its_files_and_then_goes_out_once(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    held = []
    user.page.route("**/json/user_uploads", lambda route: held.append(route))
    attach(user, menu())
    box(user).fill("Soon")
    expect(user.page.get_by_role("progressbar", name="Uploading menu.txt")).to_be_visible()

    box(user).press("Control+Enter")
    expect(user.page.get_by_text("Waiting for 1 file")).to_be_visible()
    box(user).press("End")
    box(user).press_sequentially(", and the next line")
    held[0].continue_()

    expect(user.message("Soon")).to_have_count(1)
    expect(box(user)).to_have_value(", and the next line")
    assert re.fullmatch("Soon\n" + LINK % r"menu\.txt", source_of_last(ben))


def test_a_failed_upload_says_why_and_is_tried_again(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    user.page.route("**/json/user_uploads", lambda route: route.abort())
    attach(user, menu())

    expect(chips(user)).to_contain_text(["Not uploaded"])
    assert not violations(user.page, "failed upload", inside=".write")
    user.page.unroute("**/json/user_uploads")
    user.page.get_by_role("button", name="Upload menu.txt again").click()

    expect(user.page.get_by_role("button", name="Remove menu.txt")).to_be_visible()
    expect(chips(user)).to_contain_text(["1 kB"])


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)

    user.page.evaluate(PASTE_A_FILM)

    expect(chips(user)).to_contain_text(["Too large: 25 MB at most"])
    expect(user.page.get_by_role("button", name="again")).to_have_count(0)
    user.page.get_by_role("button", name="Remove film.mov").click()
    expect(chips(user)).to_have_count(0)
    expect(box(user)).to_be_focused()


@pytest.mark.parametrize("comes_back", ["reload", "other view"])
def test_a_draft_keeps_its_attachments(kitchen, browse, comes_back):  # noqa: F811
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    attach(user, menu())
    box(user).fill("For later")
    expect(user.page.get_by_role("button", name="Remove menu.txt")).to_be_visible()
    expect(user.page.get_by_text("Draft saved")).to_be_visible()

    if comes_back == "reload":
        user.page.reload()
    else:
        user.goes("#inbox").goes(here)

    expect(user.page.get_by_role("button", name="Remove menu.txt")).to_be_visible()
    expect(box(user)).to_have_value("For later")
    box(user).press("Control+Enter")
    expect(user.message("For later")).to_be_visible()
    assert re.fullmatch("For later\n" + LINK % r"menu\.txt", source_of_last(ben))


def test_an_upload_goes_on_while_another_conversation_is_open(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    held = []
    user.page.route("**/json/user_uploads", lambda route: held.append(route))
    attach(user, menu())
    box(user).fill("Soon")
    expect(user.page.get_by_role("progressbar", name="Uploading menu.txt")).to_be_visible()

    user.goes("#inbox").goes(here)
    expect(user.page.get_by_role("progressbar", name="Uploading menu.txt")).to_be_visible()
    user.goes("#inbox")
    held[0].continue_()
    user.page.wait_for_timeout(300)
    user.goes(here)

    expect(user.page.get_by_role("button", name="Remove menu.txt")).to_be_visible()
    expect(box(user)).to_have_value("Soon")


def test_a_file_on_a_line_of_its_own_is_a_card_with_its_size(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    menu_file = uploads(ben, "menu.txt", b"x" * 2500)
    user = browse(ana).goes(here)

    notes = uploads(ben, "notes.txt", b"x")
    links = f"[menu.txt]({menu_file.url})\n[notes.txt]({notes.url})"
    ben.says(f"The menu:\n{links}", to="kitchen > lunch")
    ben.says(f"As [menu.txt]({menu_file.url}) says", to="kitchen > lunch")

    cards = user.message("The menu:").locator(".file-card")
    expect(cards).to_have_count(2)
    card = cards.first
    expect(card.get_by_role("link", name="menu.txt", exact=True)).to_be_visible()
    expect(card).to_contain_text("2.5 kB")
    with user.page.expect_download() as download:
        card.get_by_role("link", name="Download menu.txt").click()
    assert download.value.suggested_filename == "menu.txt"
    expect(user.message("As menu.txt says").locator(".file-card")).to_have_count(0)
