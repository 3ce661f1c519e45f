"""The service worker of another language replaces the present one."""

from playwright.sync_api import expect


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
