"""Voice messages: recorded in the compose box, sent through the outbox, played in the conversation.

Chromium's fake microphone beeps.
"""

import re

import pytest
from playwright.sync_api import Locator, expect
from tests.support.axe import violations
from tests.support.browser_user import BrowserUser
from tests.support.waiting import eventually
from tests.web.test_attachments import source_of_last
from tests.web.test_compose import box, kitchen, texts  # noqa: F401

FILE = r"/user_uploads/\S+\.(?:webm|m4a|ogg)#voice=\d+(?:\.\d)?-[0-9a-z]{1,64}"
LINK = rf"\[Voice message \d:\d\d\]\({FILE}\)"

REFUSE = """() => {
  const refuse = () => Promise.reject(new DOMException("", "NotAllowedError"));
  navigator.mediaDevices.getUserMedia = refuse;
}"""


@pytest.fixture
def anas(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    return browse(ana).goes(here)


def button(user: BrowserUser, name: str) -> Locator:
    return user.page.locator(".write").get_by_role("button", name=name, exact=True)


def record(user: BrowserUser, seconds: int = 1) -> None:
    button(user, "Record a voice message").click()
    expect(user.page.get_by_role("timer")).to_have_text(f"0:0{seconds}")


def player(user: BrowserUser) -> Locator:
    return user.feed.get_by_role("group", name=re.compile("^Voice message"))


def test_a_recording_is_sent_above_the_text_and_others_see_a_file_with_its_name(kitchen, anas):  # noqa: F811
    _, ben, _ = kitchen
    box(anas).fill("Listen to this")

    record(anas)
    expect(box(anas)).to_be_hidden()
    assert not violations(anas.page, "recording", inside=".write")
    button(anas, "Send").click()

    expect(player(anas)).to_be_visible()
    expect(box(anas)).to_have_value("")
    expect(box(anas)).to_be_focused()
    assert re.fullmatch(LINK + "\n\nListen to this", source_of_last(ben))


def test_a_recording_can_be_heard_before_it_is_sent_and_recorded_again(kitchen, anas):  # noqa: F811
    _, ben, _ = kitchen
    record(anas)

    button(anas, "Stop and listen").click()
    expect(button(anas, "Play")).to_be_visible()
    assert not violations(anas.page, "recorded", inside=".write")
    button(anas, "Play").click()
    expect(anas.page.get_by_role("slider", name="Position")).not_to_have_value("0")
    button(anas, "Record again").click()
    expect(anas.page.get_by_role("timer")).to_have_text("0:01")
    anas.page.keyboard.press("Alt+r")

    expect(player(anas)).to_be_visible()
    assert re.fullmatch(LINK, source_of_last(ben))


def test_a_recording_ends_by_itself_after_five_minutes(kitchen, anas):  # noqa: F811
    anas.page.clock.install()
    button(anas, "Record a voice message").click()
    expect(anas.page.get_by_role("timer")).to_be_visible()

    anas.page.clock.run_for(295_000)
    expect(anas.page.get_by_text("seconds left")).to_be_visible()
    anas.page.clock.run_for(10_000)

    expect(button(anas, "Play")).to_be_visible()


def test_escape_asks_before_it_throws_a_longer_recording_away(kitchen, anas):  # noqa: F811
    _, ben, _ = kitchen
    box(anas).fill("Kept")
    record(anas)
    anas.page.keyboard.press("Escape")
    expect(box(anas)).to_be_visible()
    expect(box(anas)).to_have_value("Kept")

    record(anas, 3)
    anas.page.keyboard.press("Escape")
    anas.page.get_by_role("button", name="Throw away").click()

    expect(box(anas)).to_be_focused()
    expect(box(anas)).to_have_value("Kept")
    assert texts(ben) == ["<p>Soup's on</p>"]


def test_a_refused_microphone_is_explained_in_the_box(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    user.page.evaluate(REFUSE)

    button(user, "Record a voice message").click()

    expect(user.page.get_by_role("alert")).to_contain_text("may not use the microphone")
    assert not violations(user.page, "microphone refused", inside=".write")
    user.page.evaluate("delete navigator.mediaDevices.getUserMedia")
    button(user, "Try again").click()
    expect(user.page.get_by_role("timer")).to_be_visible()
    expect(user.page.get_by_role("alert")).to_have_count(0)


def test_a_recording_made_offline_is_sent_later_and_once(kitchen, anas):  # noqa: F811
    _, ben, _ = kitchen
    record(anas)
    button(anas, "Stop and listen").click()
    anas.context.set_offline(True)

    button(anas, "Send").click()

    waiting = anas.page.locator(".waiting").get_by_role("group", name=re.compile("^Voice message"))
    expect(waiting).to_be_visible()
    anas.context.set_offline(False)
    expect(player(anas)).to_be_visible()
    eventually(lambda: len(texts(ben)) == 2)
    assert re.fullmatch(LINK, source_of_last(ben))


def test_the_player_is_used_by_keyboard_and_plays_at_another_speed(kitchen, browse, anas):  # noqa: F811
    _, ben, here = kitchen
    record(anas, 2)
    button(anas, "Send").click()
    user = browse(ben).goes(here)
    shown = player(user)
    # The recording goes on until the button is pressed, on a busy machine for longer.
    expect(shown).to_have_accessible_name(re.compile(r"Voice message, \d+ seconds, not played"))
    assert not violations(user.page, "voice message", inside="[role=feed]")

    shown.get_by_role("button", name="Speed 1×, change").click()
    position = shown.get_by_role("slider", name="Position")
    position.focus()
    position.press("ArrowRight")
    expect(position).not_to_have_value("0")
    position.press("ArrowLeft")
    expect(position).to_have_value("0")
    position.press("Space")

    expect(shown).to_have_accessible_name(re.compile(r"Voice message, \d+ seconds$"))
    expect(shown.get_by_role("button", name="Pause")).to_be_visible()
    expect(shown.get_by_role("button", name="Speed 1.5×, change")).to_be_visible()
    expect(shown.get_by_role("button", name="Play")).to_be_visible()
    expect(position).to_have_value("0")


def test_a_link_that_is_no_recording_stays_a_link(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    ben.says("[x](/user_uploads/1/ab/x.webm#voice=no)", to="kitchen > lunch")

    user = browse(ana).goes(here)

    expect(user.message("x").get_by_role("link", name="x", exact=True)).to_be_visible()
    expect(user.page.locator(".voice")).to_have_count(0)
