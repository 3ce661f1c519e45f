"""The service worker: its files for offline use, and how one of another language replaces it."""

from playwright.sync_api import expect
from tests.support.waiting import eventually


def test_a_page_reloads_at_once_after_its_language_changed(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup", to="kitchen > lunch")
    kitchen = page_chat.channel("kitchen").id
    page = browse(ana).goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch").page
    message = page.get_by_role("article").filter(has_text="Soup")
    page.wait_for_function("() => navigator.serviceWorker.controller")

    for language in ["de", "fr", "ja", "en"]:
        ana.patch("/settings", default_language=language).succeeds()
        for _ in range(2):
            page.reload()
            expect(message).to_be_visible()

    assert page.evaluate("() => document.documentElement.lang") == "en"


def test_the_worker_of_the_new_language_replaces_the_old_one(page_chat, browse):
    ana = page_chat.person("ana")
    page = browse(ana).goes("#inbox").page
    page.wait_for_function("() => navigator.serviceWorker.controller")
    ana.patch("/settings", default_language="de").succeeds()

    page.reload()

    page.wait_for_function(
        "() => navigator.serviceWorker.controller.scriptURL.endsWith('?language=de')"
    )


CACHED_PATHS = """async () => {
  const cached = await (await caches.open("tertulia-read")).keys();
  return cached.map(({ url }) => new URL(url).pathname);
}"""
CACHED_COMPOSER = """async () => {
  const { composer, composerStyle } = document.documentElement.dataset;
  return Boolean((await caches.match(composer)) && (await caches.match(composerStyle)));
}"""


def test_a_page_that_was_loaded_once_can_be_reloaded_without_a_server(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana)
    page = user.goes(f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch").page
    expect(user.message("Soup's on")).to_be_visible()
    eventually(lambda: {"/", "/json/messages"} <= set(page.evaluate(CACHED_PATHS)))

    user.context.set_offline(True)
    page.reload()

    expect(user.message("Soup's on")).to_be_visible()
    user.context.set_offline(False)


def test_a_compose_box_and_a_dialog_that_are_first_used_offline_work(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana)
    page = user.goes(f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch").page
    page.wait_for_function("() => navigator.serviceWorker.controller")
    eventually(lambda: {"/", "/json/messages"} <= set(page.evaluate(CACHED_PATHS)))
    eventually(lambda: page.evaluate(CACHED_COMPOSER))

    user.context.set_offline(True)
    page.reload()
    page.get_by_role("textbox", name="Message to").click()

    destination = page.locator("button.dest")
    expect(destination).to_be_visible()
    expect(destination).to_have_css("display", "flex")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    user.context.set_offline(False)
