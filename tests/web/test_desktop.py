"""The desktop app: what it reads from the page, and what it asks of it, played by its bridge."""

import re

from playwright.sync_api import expect
from tests.support.browser_user import address
from tests.support.waiting import eventually
from tests.web.test_gestures import bottom

BRIDGE = """
window.electron_bridge = {
  sent: {}, listeners: {}, notices: [],
  send_event(name, ...args) { this.sent[name] = args; },
  on_event(name, listener) { this.listeners[name] = listener; },
  set_send_notification_reply_message_supported(yes) { this.replies = yes; },
  new_notification(title, options) { this.notices.push([title, options.body]); },
  get_idle_on_system() { return false; },
};
"""


def test_the_page_provides_the_interface_of_the_desktop_app(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("Soup's on", to=[ana])
    at_anas = browse(ana)
    at_anas.context.add_init_script(BRIDGE)
    at_anas.goes("#inbox")

    expect(at_anas.page).to_have_title(re.compile(r"^\(1\) "))
    found = at_anas.page.evaluate("electron_bridge.sent")
    assert found["total_unread_count"] == [1]
    assert found["realm_name"] == [page_chat.realm.name]
    assert found["realm_icon_url"][0].startswith(address(page_chat))
    assert at_anas.page.evaluate("electron_bridge.replies") is True
    icon = at_anas.page.locator('link[rel="icon"]')
    expect(icon).to_have_attribute("href", "/static/images/favicon/favicon-pms.png")

    at_anas.page.evaluate("electron_bridge.listeners['show-keyboard-shortcuts']()")
    expect(at_anas.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    at_anas.page.keyboard.press("Escape")
    reply = f"electron_bridge.listeners['send_notification_reply_message']({soup.id}, 'Coming')"
    at_anas.page.evaluate(reply)
    newest = ana.get("/messages", anchor="newest", num_before=1, num_after=0).succeeds()
    assert newest["messages"][0]["content"] == "<p>Coming</p>"

    at_anas.page.evaluate("electron_bridge.listeners['logout']()")
    at_anas.page.wait_for_url("**/login/**")


def test_quiet_hours_hold_back_notifications_of_the_desktop_and_are_set_in_the_settings(
    page_chat, browse
):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    at_anas = browse(ana, timezone_id="Asia/Tokyo")
    at_anas.context.add_init_script(BRIDGE)
    page = at_anas.goes("#settings/notifications").page
    page.clock.install(time="2026-05-01T13:30:00Z")  # 22:30 in Tokyo
    page.get_by_label("Hold notifications back every day").check()
    eventually(lambda: settings_of(ana)["quiet_hours"] == "22:00-07:00")
    page.get_by_label("Until").fill("08:15")
    page.get_by_label("Until").press("Enter")
    eventually(lambda: settings_of(ana)["quiet_hours"] == "22:00-08:15")
    assert ana.get("/users/me").succeeds()["timezone"] == "Asia/Tokyo"
    hint, times = (page.locator(f"{each}:visible") for each in (".choice small.hint", ".hours"))
    assert bottom(hint) <= times.bounding_box()["y"]
    page.keyboard.press("Escape")
    page.evaluate("document.hasFocus = () => false")

    ben.says("at night", to=[ana])
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.clock.set_system_time("2026-05-01T23:15:00Z")
    ben.says("in the morning", to=[ana])

    expect(page).to_have_title(re.compile(r"^\(2\) "))
    assert page.evaluate("electron_bridge.notices.map(each => each[1])") == ["in the morning"]


def settings_of(person):
    return person.registers(fetch_event_types=["user_settings"])["user_settings"]


def test_the_login_token_can_be_copied(page_chat, browse):
    ana = page_chat.person("ana", password="open sesame")
    page = browse(None).page

    page.goto(address(page_chat, f"/login/?desktop_flow_otp={'a1' * 32}"))
    page.get_by_label("Email").fill(ana.email)
    page.get_by_label("Password").fill("open sesame")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_be_visible()

    shown = page.get_by_label("To be pasted").input_value()
    page.goto(address(page_chat, "/login/"))
    page.get_by_label("Password").press("Control+V")
    expect(page.get_by_label("Password")).to_have_value(shown)
