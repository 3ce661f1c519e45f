"""What a browser keeps of an account is deleted when the account logs out."""

from typing import Any

from playwright.sync_api import Page, expect
from tests.support.browser_user import BrowserUser, address
from tests.support.waiting import eventually
from tests.web.test_views import topic

KEPT = """async () => {
  const databases = (await indexedDB.databases()).map((each) => each.name);
  const cache = await caches.has("tertulia-read") && await caches.open("tertulia-read");
  const answers = cache ? await cache.keys() : [];
  return {databases, answers: answers.length, tab: Object.keys({...sessionStorage})};
}"""
NOTHING: dict[str, Any] = {"databases": [], "answers": 0, "tab": []}


def kept(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(KEPT)
    return found


def fills(user: BrowserUser) -> BrowserUser:
    """A user reads and writes, so that the browser stores data of all kinds."""
    page = user.page
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.evaluate("sessionStorage.setItem('edit-7', 'secret words')")
    eventually(lambda: kept(page)["answers"] > 0 and len(kept(page)["databases"]) == 2)
    return user


def test_logging_out_in_one_tab_deletes_the_data_of_all_tabs(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    one = fills(browse(ana).goes(topic(page_chat, "kitchen", "lunch")))
    other = fills(one.tab().goes(topic(page_chat, "kitchen", "lunch")))

    one.page.get_by_role("button", name="Ana").first.click()
    one.page.get_by_role("menuitem", name="Log out").click()
    one.page.wait_for_url("**/login/**")

    eventually(lambda: kept(one.page) == NOTHING)
    eventually(lambda: kept(other.page) == NOTHING)
    expect(other.page.get_by_role("status")).to_contain_text("logged out")
    assert one.page.evaluate("Object.keys(localStorage)") == []
    other.page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    assert kept(other.page) == NOTHING


def test_a_session_ended_by_the_server_leaves_no_data_in_the_browser(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = fills(browse(ana).goes(topic(page_chat, "kitchen", "lunch")))

    ana.delete("/users/me/sessions").succeeds()
    ben.says("Bread, too", to="kitchen > lunch")

    expect(user.page.get_by_role("status")).to_contain_text("logged out")
    eventually(lambda: kept(user.page) == NOTHING)


def test_a_session_that_ended_without_open_tabs_leaves_no_data(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = fills(browse(ana).goes(topic(page_chat, "kitchen", "lunch")))
    tab = user.context.new_page()
    user.page.close()

    ana.delete("/users/me/sessions").succeeds()
    tab.goto(address(page_chat))
    tab.wait_for_url("**/login/**")

    eventually(lambda: kept(tab) == NOTHING)
