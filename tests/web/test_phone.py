"""The page on a phone: the way to an installed app that rings."""

import asyncio
import base64
import io
import ipaddress
import json
import re

import pytest
from PIL import Image
from playwright.sync_api import expect
from tests.features.test_calls import running, start, users
from tests.jobs.test_push_sender import Browser, is_quiet
from tests.support.browser import Browser as Cookies
from tests.support.browser_user import address, notifying
from tests.support.fake_webhooks import Receiver
from tests.support.people import Chat
from tests.support.waiting import eventually
from tests.web.test_service_worker import CACHED_PATHS

from tertulia import locale

HOME = (ipaddress.ip_network("127.0.0.0/8"),)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
IPHONE = PHONE | {
    "user_agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15"
    " (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1"
}
OFFER = """outcome => {
  const event = new Event("beforeinstallprompt", {cancelable: true});
  event.prompt = async () => ({outcome});
  dispatchEvent(event);
}"""
# A push service is not part of a headless browser: the subscription is one of the test.
SUBSCRIBE = """given => {
  PushManager.prototype.subscribe = async () => ({toJSON: () => given});
  PushManager.prototype.getSubscription = async () => null;
}"""
INSTALLED = """{
  const ask = window.matchMedia.bind(window);
  window.matchMedia = query =>
    query.startsWith("(display-mode: ") ? {matches: query.includes("standalone")} : ask(query);
}"""

pytestmark = pytest.mark.on_one


@pytest.fixture
def chat(start_server):
    """Its server may call addresses of this machine."""
    return Chat.found(start_server(webhook_networks=HOME), "")


@pytest.fixture(scope="module")
def phone_chromium(running_browser):
    browser, loop = running_browser
    asyncio._set_running_loop(loop)
    with notifying(browser) as phone:
        asyncio._set_running_loop(None)
        yield phone
        asyncio._set_running_loop(loop)
    asyncio._set_running_loop(None)


@pytest.fixture
def chromium(chromium, phone_chromium):
    return phone_chromium


@pytest.fixture
def idle_contexts():
    """Of this browser; it ends with the module."""
    return []


@pytest.fixture
def push():
    """The push service of a phone."""
    push = Browser()
    yield push
    push.service.close()


def subscribes(user, push):
    """The browser of a user subscribes at this push service."""
    given = push.subscription()
    keys = {"p256dh": given["p256dh"], "auth": given["auth"]}
    given = json.dumps({"endpoint": given["endpoint"], "keys": keys})
    user.page.add_init_script(f"({SUBSCRIBE})({given})")


def installs(user):
    """The page runs as an installed app."""
    user.page.add_init_script(INSTALLED)


# What the badge shows cannot be read back.
BADGE = """{
  const set = navigator.setAppBadge.bind(navigator);
  navigator.setAppBadge = async count => { await set(count); self.badge = count; };
}"""

CLICK = """async ([title, action, reply]) => {
  WindowClient.prototype.focus = async () => {};  // only a tap allows it
  const shown = await registration.getNotifications();
  const notification = shown.find(each => each.title === title);
  const event = new NotificationEvent("notificationclick", {notification, action});
  self.dispatchEvent(Object.defineProperty(event, "reply", {value: reply}));
}"""

SHOWN = (
    "() => registration.getNotifications().then(all => all.map(({title, body}) => [title, body]))"
)

BUTTONS = """async () => {
  const [shown] = await registration.getNotifications();
  return shown?.actions.map(each => each.action);
}"""


class Worker:
    """The service worker of a page: what its push service delivers, and what it shows."""

    def __init__(self, user):
        self.delivered = 0
        self._origin = address(user.chat, "")
        self._tools = user.context.new_cdp_session(user.page)
        self._found = []
        self._tools.on("ServiceWorker.workerRegistrationUpdated", self._note)
        self._tools.send("ServiceWorker.enable")
        user.page.wait_for_function("() => navigator.serviceWorker.controller")
        self._worker = user.context.service_workers[0]
        self._worker.evaluate(BADGE)

    def _note(self, found):
        self._found += found["registrations"]

    def gets(self, payload):
        registration = {
            "origin": self._origin,
            "registrationId": self._found[-1]["registrationId"],
            "data": json.dumps(payload),
        }
        self._tools.send("ServiceWorker.deliverPushMessage", registration)

    def clicks(self, title, action="", reply=None):
        """The user taps a notification, or a button of it."""
        self._worker.evaluate(CLICK, [title, action, reply])

    def loses_the_network(self):
        self._worker.evaluate("() => { fetch = async () => { throw new TypeError(); }; }")

    def has_no_text_fields(self):
        """The browser does not read the type of a button."""
        self._worker.evaluate("() => { Notification = {maxActions: Notification.maxActions}; }")

    @property
    def buttons(self):
        return self._worker.evaluate(BUTTONS)

    @property
    def badge(self):
        return self._worker.evaluate("() => self.badge")

    @property
    def shown(self):
        return self._worker.evaluate(SHOWN)


def test_a_test_notification_is_sent_received_and_shown(chat, browse, push):
    ana = chat.person("ana", channels=["kitchen"])
    user = browse(ana, chat, **PHONE)
    user.context.grant_permissions(["notifications"])
    subscribes(user, push)
    installs(user)
    page = user.goes("#inbox").page
    worker = Worker(user)

    page.get_by_role("button", name="Send a test notification").tap()
    eventually(lambda: push.service.requests)
    (received,) = push.received()
    worker.gets(received)

    card = page.get_by_role("region", name="Test notification: arrived")
    expect(card).to_contain_text("Allowed on this phone (done)")
    expect(card).to_contain_text("Handed to the phone’s push service (done)")
    expect(card).to_contain_text("Shown on this phone (done)")
    assert worker.shown == [[chat.realm.name, "This is a test. Everything works."]]
    card.get_by_role("button", name="Hide").last.tap()
    user.goes("#recent").goes("#inbox")
    expect(page.locator(".onphone")).to_have_count(0)


TAPS = """() => {
  addEventListener("click", ({isTrusted}) => {
    if (isTrusted) sessionStorage.taps = Number(sessionStorage.taps ?? 0) + 1;
  }, true);
}"""
ASKED_BY_THE_BROWSER = 2  # to install, and to allow notifications


def test_the_first_push_comes_at_most_five_taps_after_the_login(chat, browse, push):
    ana = chat.person("ana", channels=["kitchen"], password="open sesame")
    user = browse(None, chat, **PHONE)
    user.context.grant_permissions(["notifications"])
    subscribes(user, push)
    user.page.add_init_script(f"({TAPS})()")
    page = user.page
    page.goto(address(chat, "/login/"))
    page.get_by_label("Email").fill(ana.email)
    page.get_by_label("Password").fill("open sesame")

    page.get_by_role("button", name="Log in", exact=True).tap()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    page.evaluate(OFFER, "accepted")
    page.get_by_role("button", name="Install", exact=True).tap()
    worker = Worker(user)
    page.get_by_role("button", name="Send a test notification").tap()
    eventually(lambda: push.service.requests)
    worker.gets(push.received()[0])

    expect(page.get_by_role("region", name="Test notification: arrived")).to_be_visible()
    assert page.evaluate("() => Number(sessionStorage.taps)") + ASKED_BY_THE_BROWSER <= 5


def test_the_card_says_which_station_was_not_reached(chat, browse, push):
    ana = chat.person("ana", channels=["kitchen"])
    user = browse(ana, chat, **PHONE)
    subscribes(user, push)
    installs(user)
    page = user.goes("#inbox").page
    send = page.get_by_role("button", name="Send")

    send.tap()
    off = page.get_by_role("region", name="Notifications are off")
    expect(off).to_contain_text("Not allowed on this phone (failed)")

    user.context.grant_permissions(["notifications"])
    push.service.answer = (503, b"")
    send.tap()
    missing = page.get_by_role("region", name="Test notification: did not arrive")
    ntfy = missing.get_by_role("link", name="Use an ntfy address instead")
    expect(missing).to_contain_text("Not accepted by the phone’s push service (failed)")

    push.service.answer = (201, b"")
    page.clock.install()
    send.tap()
    expect(page.get_by_role("region", name="Sending")).to_be_visible()
    eventually(lambda: len(push.service.requests) == 2)
    page.clock.fast_forward(31_000)
    expect(missing).to_contain_text("Not shown on this phone (failed)")
    expect(missing).to_contain_text("without restriction")
    ntfy.tap()
    expect(page.get_by_label("Address", exact=False).last).to_be_visible()


def test_a_server_without_https_says_what_is_missing(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    user = browse(ana, **PHONE)
    user.page.add_init_script("Object.defineProperty(window, 'isSecureContext', {value: false})")
    page = user.goes("#inbox").page

    card = page.get_by_role("region", name="This phone cannot ring yet")
    expect(card).to_contain_text("HTTPS")
    card.get_by_role("button", name="Hide").tap()
    page.reload()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    expect(card).to_have_count(0)


def test_an_address_of_ntfy_is_tested_when_it_is_entered(chat, browse):
    ntfy = Receiver((403, b'{"error": "forbidden"}'))
    ana = chat.person("ana", channels=["kitchen"])
    page = browse(ana, chat, **PHONE).goes("#settings/notifications").page
    page.get_by_label("Address").fill(f"{ntfy.url}/reef-7tq")
    save = page.get_by_role("button", name="Save and test")

    save.tap()
    expect(page.get_by_text("forbidden")).to_be_visible()
    ntfy.answer = (200, b"{}")
    save.tap()

    expect(page.get_by_text("accepted")).to_be_visible()
    assert [each.json["topic"] for each in ntfy.requests] == ["reef-7tq"] * 2
    assert ana.get("/push_servers").succeeds()["push_servers"][0]["sends_text"] is False
    ntfy.close()


def test_the_badge_counts_direct_messages_and_mentions_until_they_are_read_anywhere(
    page_chat, browse
):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    user = browse(ana, **PHONE)
    installs(user)
    user.context.grant_permissions(["notifications"])
    user.page.add_init_script(BADGE)
    page = user.goes("#inbox").page

    sent = [ben.says("Soup", to=[ana]), ben.says("@**Ana** bread?", to="kitchen > lunch")]
    ben.says("nothing for Ana", to="kitchen > lunch")
    page.wait_for_function("() => self.badge === 2")
    ana.post("/messages/flags", messages=[each.id for each in sent], op="add", flag="read")

    page.wait_for_function("() => self.badge === 0")


def test_a_browser_that_offers_installation_installs_with_one_tap(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    user = browse(ana, **PHONE)
    page = user.goes("#inbox").page
    expect(page.locator(".onphone")).to_have_count(0)

    page.evaluate(OFFER, "accepted")
    page.get_by_role("button", name="Install", exact=True).tap()

    expect(page.get_by_role("button", name="Send a test notification")).to_be_visible()
    assert user.errors == []


def test_an_iphone_gets_the_three_taps_until_they_are_done(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    user = browse(ana, **IPHONE)
    page = user.goes("#inbox").page
    card = page.get_by_role("region", name="on your home screen")

    expect(card.get_by_role("listitem")).to_have_count(3)
    card.get_by_role("button", name="I have done it").tap()
    page.reload()

    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    expect(card).to_have_count(0)


def test_a_computer_gets_no_card(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    page = browse(ana).goes("#inbox").page

    page.evaluate(OFFER, "accepted")

    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    expect(page.locator(".onphone")).to_have_count(0)


@pytest.fixture
def phone(chat, browse, push):
    """Ana's phone: its page, and the service worker while it is in the pocket."""
    ana = chat.person("ana", channels=["kitchen"])
    user = browse(ana, chat, **PHONE)
    user.context.grant_permissions(["notifications"])
    ana.patch("/settings", enable_online_push_notifications=True).succeeds()
    ana.get("/web_push/key").succeeds()
    ana.post("/web_push/subscriptions", **push.subscription()).succeeds()
    return ana, user.goes("#recent"), Worker(user)


def in_pocket(chat, user, worker, push, holds):
    """The page is closed, and what the server sends is delivered until a condition holds."""
    user.page.goto("about:blank")

    def is_done():
        deliver(chat)
        for each in push.received()[worker.delivered :]:
            worker.gets(each)
            worker.delivered += 1
        return holds()

    eventually(is_done)


def deliver(chat):
    def is_done():
        chat.server.run_job("missed messages")
        chat.server.deliver("push")
        return chat.read(is_quiet)

    eventually(is_done)
    chat.server.run_job("pushed and read")


def test_notifications_group_by_conversation_and_follow_edits_deletions_and_reads(
    chat, push, phone
):
    ana, user, worker = phone
    ben = chat.person("ben", channels=["kitchen"])
    first = ben.says("Soup", to=[ana])
    ben.says("is on", to=[ana])
    mention = ben.says("@**Ana** bread?", to="kitchen > lunch")
    in_pocket(chat, user, worker, push, lambda: worker.badge == 3)

    assert ["Ben", "Soup\nis on"] in worker.shown
    assert ["Ben · kitchen › lunch", "@Ana bread?"] in worker.shown

    ben.patch(f"/messages/{first.id}", content="Stew").succeeds()
    ben.delete(f"/messages/{mention.id}").succeeds()
    in_pocket(chat, user, worker, push, lambda: worker.shown == [["Ben", "Stew\nis on"]])
    assert worker.badge == 2

    ana.post("/messages/flags", messages=[first.id], op="add", flag="read").succeeds()
    in_pocket(chat, user, worker, push, lambda: worker.shown == [["Ben", "is on"]])
    assert worker.badge == 1


def test_a_notification_opens_its_message_or_marks_it_as_read(chat, push, phone):
    ana, user, worker = phone
    ben = chat.person("ben", channels=["kitchen"])
    direct = ben.says("Soup", to=[ana])
    ben.says("@**Ana** bread?", to="kitchen > lunch")
    in_pocket(chat, user, worker, push, lambda: len(worker.shown) == 2)
    user.goes("#recent")

    worker.clicks("Ben", "read")
    eventually(lambda: "read" in ana.get(f"/messages/{direct.id}").succeeds()["message"]["flags"])
    worker.clicks("Ben · kitchen › lunch")

    expect(user.message("bread?")).to_be_visible()


def test_a_notification_mutes_its_conversation_for_an_hour_and_no_other(chat, push, phone):
    ana, user, worker = phone
    ben = chat.person("ben", channels=["kitchen"])
    ben.says("And cheese", to=[ana])
    in_pocket(chat, user, worker, push, lambda: ["Ben", "And cheese"] in worker.shown)
    user.goes("#recent")

    worker.clicks("Ben", "mute")
    eventually(lambda: chat.read(muted_until) > chat.server.clock() + 3000)
    ben.says("And wine", to=[ana])
    ben.says("@**Ana** bread?", to="kitchen > lunch")
    deliver(chat)
    assert push.received()[-1]["content"] == "@Ana bread?"
    chat.server.clock.move(seconds=3601)
    deliver(chat)

    assert push.received()[-1]["content"] == "And wine"


def muted_until(tx):
    return tx.value("SELECT max(muted_until) AS value FROM push_notice")


def test_a_reply_in_a_notification_is_sent_to_its_conversation(chat, push, phone):
    ana, user, worker = phone
    ben = chat.person("ben", channels=["kitchen"])
    direct = ben.says("Soup?", to=[ana])
    ben.says("@**Ana** bread?", to="kitchen > lunch")
    in_pocket(chat, user, worker, push, lambda: len(worker.shown) == 2)
    user.goes("#recent")

    worker.clicks("Ben", "reply", "Yes, pea")
    worker.clicks("Ben · kitchen › lunch", "reply", "No bread")

    eventually(lambda: said_to(ben, "is:dm")[-1] == "Yes, pea")
    eventually(lambda: said_to(ben, "topic:lunch")[-1] == "No bread")
    eventually(lambda: "read" in ana.get(f"/messages/{direct.id}").succeeds()["message"]["flags"])


def said_to(person, *narrow):
    terms = [dict(zip(("operator", "operand"), each.split(":"), strict=True)) for each in narrow]
    found = person.get(
        "/messages",
        anchor="newest",
        num_before=5,
        num_after=0,
        narrow=terms,
        apply_markdown=False,
    ).succeeds()
    return [each["content"] for each in found["messages"]]


@pytest.fixture
def ringing(chat, push, phone):
    """Ben calls Ana, and her phone rings."""
    ana, user, worker = phone
    ben = chat.person("ben", channels=["kitchen"])
    start(ben, type="direct", to=[ana.id])

    def rings():
        chat.server.run_job("ringing")
        return worker.shown

    in_pocket(chat, user, worker, push, rings)
    assert (worker.shown[0][0], worker.buttons) == ("Ben calls you", ["answer", "decline"])
    return ben


def test_a_ringing_call_is_declined_in_its_notification(ringing, phone):
    phone[2].clicks("Ben calls you", "decline")

    eventually(lambda: running(ringing)[0]["ringing"] == [])


def test_a_ringing_call_is_answered_in_its_notification(ringing, phone):
    ana, user, worker = phone
    user.goes("#recent")

    worker.clicks("Ben calls you", "answer")

    expect(user.page.get_by_role("region", name="Your call")).to_be_visible()
    assert users(running(ringing)[0]) == [ringing.id, ana.id]


def test_a_reply_that_cannot_be_sent_is_shown_again(chat, push, phone):
    ana, user, worker = phone
    ben = chat.person("ben", channels=["kitchen"])
    ben.says("Soup?", to=[ana])
    in_pocket(chat, user, worker, push, lambda: worker.shown)
    worker.loses_the_network()

    worker.clicks("Ben", "reply", "Yes, pea")

    eventually(lambda: worker.shown == [["Your reply was not sent", "Yes, pea"]])


def test_buttons_fit_the_browser_and_a_reply_needs_text_fields(chat, push, phone):
    ana, user, worker = phone
    ben = chat.person("ben", channels=["kitchen"])
    ben.says("Soup?", to=[ana])
    in_pocket(chat, user, worker, push, lambda: worker.shown)
    assert worker.buttons == ["reply", "more"]
    worker.clicks("Ben", "more")
    eventually(lambda: worker.buttons == ["read", "mute"])

    worker.has_no_text_fields()
    ben.says("Bread?", to=[ana])
    in_pocket(chat, user, worker, push, lambda: ["Ben", "Soup?\nBread?"] in worker.shown)

    assert worker.buttons == ["read", "mute"]


def test_the_manifest_has_what_browsers_want_of_an_app(page_chat):
    browser = Cookies.of(page_chat.person("ana"))

    found = browser.opens("/manifest.webmanifest", **{"Accept-Language": "de"})

    manifest = json.loads(found.body)

    assert (manifest["id"], manifest["start_url"], manifest["display"]) == ("/", "/", "standalone")
    assert {each.get("purpose", "any") for each in manifest["icons"]} == {
        "any",
        "maskable",
        "monochrome",
    }
    assert [each["name"] for each in manifest["shortcuts"]][:2] == [
        "Eingang",
        "Neue Direktnachricht",
    ]
    assert manifest["launch_handler"]["client_mode"][0] == "navigate-existing"
    assert set(manifest["share_target"]["params"]) == {"title", "text", "url", "files"}
    assert {each["form_factor"] for each in manifest["screenshots"]} == {"narrow", "wide"}
    pictures = [*manifest["icons"], *manifest["screenshots"]]
    for each in pictures:
        size = Image.open(io.BytesIO(browser.opens(each["src"]).body)).size
        assert each["sizes"] == "x".join(map(str, size))


def test_the_browser_finds_that_the_page_can_be_installed(page_chat, browse):
    user = browse(page_chat.person("ana"), **PHONE).goes("#inbox")
    tools = user.context.new_cdp_session(user.page)

    manifest = tools.send("Page.getAppManifest")
    found = tools.send("Page.getInstallabilityErrors")

    assert manifest["url"] == address(page_chat, "/manifest.webmanifest")
    assert manifest["errors"] == []
    # Each test has a browser of its own without a history, which Chromium names so.
    assert {each["errorId"] for each in found["installabilityErrors"]} <= {"in-incognito"}


def test_an_app_that_starts_without_a_connection_shows_the_last_conversation(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana, **PHONE).goes("#inbox")
    user.page.wait_for_function("() => navigator.serviceWorker.controller")
    user.page.reload()
    user.goes(f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch")
    expect(user.message("Soup's on")).to_be_visible()
    eventually(lambda: {"/", "/json/messages"} <= set(user.page.evaluate(CACHED_PATHS)))
    user.page.close()
    user.context.set_offline(True)

    started = user.tab()
    started.page.goto(address(page_chat))

    expect(started.message("Soup's on")).to_be_visible()


@pytest.mark.parametrize("language", locale.LANGUAGES)
def test_the_app_and_its_notifications_speak_the_language_of_the_user(page_chat, language):
    browser, t = Cookies.of(page_chat.person("ana")), locale.texts(language)

    worker = browser.opens(f"/sw.js?language={language}").body.decode()
    found = browser.opens("/manifest.webmanifest", **{"Accept-Language": language})

    (buttons,) = re.findall(r"WORDS=(\{.*?\})", worker)
    assert json.loads(buttons) == {
        "reply": t("menu.reply"),
        "read": t("rowmenu.mark-read"),
        "mute": t("push.mute"),
        "more": t("head.more"),
        "unsent": t("push.unsent"),
    }
    manifest = json.loads(found.body)
    assert (manifest["lang"], manifest["dir"]) == (language, locale.direction(language))
    assert [each["name"] for each in manifest["shortcuts"]] == [
        t("view.inbox"),
        t("new.direct"),
        t("view.mentioned"),
    ]


def test_the_shortcut_of_a_new_message_opens_its_dialog(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    page = browse(ana, **PHONE).goes("#inbox").page

    page.evaluate("location.hash = '#new'")

    expect(page.get_by_role("dialog", name="New direct message")).to_be_visible()


SHARE = """picture => {
  const form = document.createElement("form");
  Object.assign(form, {method: "post", action: "/share", enctype: "multipart/form-data"});
  for (const [name, value] of [["title", "Menu"], ["text", "Menu: https://x.example/"]])
    form.append(Object.assign(document.createElement("input"), {name, value}));
  const field = Object.assign(document.createElement("input"), {name: "files", type: "file"});
  const data = new DataTransfer();
  data.items.add(new File(["soup, bread"], "menu.txt", {type: "text/plain"}));
  const bytes = Uint8Array.from(atob(picture), each => each.charCodeAt(0));
  for (const name of ["a.jpg", "b.jpg", "c.jpg"])
    data.items.add(new File([bytes], name, {type: "image/jpeg"}));
  field.files = data.files;
  form.append(field);
  document.body.append(form);
  form.submit();
}"""


ORIENTATION, PLACE = 0x0112, 0x8825
UPSIDE_DOWN = 3


def photo():
    """As a camera makes it: it says how it was held, and where."""
    tags = Image.Exif()
    tags[ORIENTATION] = UPSIDE_DOWN
    tags.get_ifd(PLACE).update({1: "N", 2: (41.0, 23.0, 11.0), 3: "E", 4: (2.0, 10.0, 26.0)})
    file = io.BytesIO()
    Image.new("RGB", (40, 30), "green").save(file, "jpeg", exif=tags)
    return base64.b64encode(file.getvalue()).decode()


def test_what_another_app_shares_is_sent_by_the_outbox_also_offline(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup?", to=[ana])
    user = browse(ana, **PHONE)
    page = user.goes("#inbox").page
    page.wait_for_function("() => navigator.serviceWorker.controller")
    page.wait_for_function(
        """async () => {
          const { share, dialogs } = document.documentElement.dataset;
          return (await caches.match(share)) && (await caches.match(dialogs)) && true;
        }"""
    )
    page.reload()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    user.context.set_offline(True)

    page.evaluate(SHARE, photo())
    dialog = page.get_by_role("dialog", name="Share to")
    expect(dialog.locator(".shared li")).to_have_text(
        [re.compile("menu.txt"), re.compile("a.jpg"), re.compile("place removed"), "and 1 more"]
    )
    expect(dialog.locator(".shared img").first).to_have_js_property("naturalWidth", 40)
    expect(dialog.get_by_role("textbox", name="Add words")).to_have_value(
        "Menu: https://x.example/"
    )
    dialog.get_by_role("combobox").fill("ben")
    dialog.get_by_role("option", name="Ben").first.tap()
    dialog.get_by_role("button", name="Send").tap()
    expect(dialog).to_have_count(0)
    user.context.set_offline(False)

    def arrived():
        found = ben.get(
            "/messages", anchor="newest", num_before=1, num_after=0, apply_markdown=False
        )
        return found.succeeds()["messages"][0]["content"]

    eventually(lambda: "menu.txt" in arrived() and "c.jpg" in arrived())
    links = re.findall(r"jpg\]\((.*?)\)", arrived())
    for each in links:
        tags = Image.open(io.BytesIO(Cookies.of(ben).opens(each).body)).getexif()
        assert (tags[ORIENTATION], tags.get_ifd(PLACE)) == (UPSIDE_DOWN, {})
    assert len(links) == 3
    assert "https://x.example/" in arrived()
    assert "/user_uploads/" in arrived()


def test_a_share_without_a_service_worker_asks_to_share_once_more(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    assert Cookies.of(ana).submits("/share").status == 303
    page = browse(ana, **PHONE).goes("#inbox").page

    page.evaluate("location.hash = '#share'")

    expect(page.get_by_text("Nothing arrived. Share it once more.")).to_be_visible()
    expect(page).to_have_url(re.compile("#inbox$"))
