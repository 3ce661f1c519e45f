"""Calls between browsers, with Chromium's fake microphone: it beeps, so sound can be counted."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from tests.support.axe import violations
from tests.support.browser_user import BrowserUser
from tests.support.waiting import eventually
from tests.web.test_compose import kitchen  # noqa: F401

# Keeps all connections of the page, to ask what they have received.
WATCH = """(() => {
  const Connection = window.RTCPeerConnection;
  window.connections = [];
  window.tones = 0;
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...at) {
    window.tones++;
    return start.apply(this, at);
  };
  window.RTCPeerConnection = class extends Connection {
    constructor(...options) { super(...options); window.connections.push(this); }
  };
})()"""
HEARD = """async () => {
  const open = window.connections.filter((each) => each.connectionState === "connected");
  const heard = await Promise.all(open.map(async (each) => {
    let energy = 0;
    for (const stat of (await each.getStats()).values())
      if (stat.type === "inbound-rtp" && stat.kind === "audio")
        energy += stat.bytesReceived * (stat.totalAudioEnergy > 0);
    return energy;
  }));
  return heard;
}"""
ENERGY = """async () => {
  let energy = 0;
  for (const each of window.connections)
    for (const stat of (await each.getStats()).values())
      if (stat.type === "inbound-rtp" && stat.kind === "audio") energy += stat.totalAudioEnergy;
  return energy;
}"""
SPEAKING = """() => [...document.querySelectorAll(".seat")].some(
  (each) => each.getAttribute("aria-label") === "Ana, speaking")"""
WITH_CAMERA = """async () => {
  let frames = 0;
  for (const each of window.connections)
    for (const stat of (await each.getStats()).values())
      if (stat.type === "inbound-rtp" && stat.kind === "video") frames += stat.framesDecoded ?? 0;
  return frames;
}"""


@pytest.fixture
def opened(browse) -> Any:
    def at(person: Any, here: str, chat: Any = None) -> BrowserUser:
        user: BrowserUser = browse(person, chat)
        user.context.add_init_script(WATCH)
        return user.goes(here)

    return at


def dock(user: BrowserUser) -> Locator:
    return user.page.get_by_role("region", name="Your call")


def seats(user: BrowserUser) -> Locator:
    return dock(user).get_by_role("listitem")


def start(user: BrowserUser) -> None:
    user.page.get_by_role("button", name="Start a call").click()
    expect(dock(user)).to_be_visible()


def join(user: BrowserUser) -> None:
    user.page.get_by_role("button", name="Join", exact=True).click()
    expect(dock(user)).to_be_visible()


def hears(user: BrowserUser, others: int = 1) -> None:
    """Sound arrives from so many others."""
    eventually(lambda: len([each for each in user.page.evaluate(HEARD) if each > 0]) == others)


def test_two_people_hear_each_other_and_the_message_says_how_long(kitchen, opened):  # noqa: F811
    ana, ben, here = kitchen
    anas, bens = opened(ana, here), opened(ben, here)

    start(anas)
    expect(bens.page.get_by_role("group", name="Call, going on")).to_contain_text("Ana")
    join(bens)

    hears(anas)
    hears(bens)
    expect(seats(anas)).to_have_count(2)
    bens.page.wait_for_function(SPEAKING)
    assert not violations(bens.page, "call", inside=".callroom")
    assert not violations(bens.page, "card of a call", inside="[role=feed]")
    dock(anas).get_by_role("button", name="Leave").click()
    expect(dock(anas)).to_have_count(0)
    expect(seats(bens)).to_have_count(1)
    dock(bens).get_by_role("button", name="Leave").click()
    expect(bens.message("Call ended 1 minute and 2 people")).to_be_visible()
    expect(anas.message("Call ended 1 minute and 2 people")).to_be_visible()


def test_five_people_are_connected_each_to_each_and_one_more_is_refused(
    kitchen,  # noqa: F811
    opened,
    page_chat,
):
    ana, ben, here = kitchen
    others = page_chat.people("cleo", "dora", "emil", "finn", channels=["kitchen"])
    users = [opened(person, here) for person in (ana, ben, *others)]
    *inside, outside = users

    start(users[0])
    for user in inside[1:]:
        join(user)

    for user in inside:
        hears(user, others=4)
    expect(outside.page.get_by_role("group", name="Call, going on")).to_contain_text("It is full")
    expect(outside.page.get_by_role("button", name="Join", exact=True)).to_be_disabled()


# No connection of the network is let through.
BLOCKED = """() => {
  Object.defineProperty(RTCPeerConnection.prototype, "connectionState", {get: () => "failed"});
  for (const each of window.connections) each.dispatchEvent(new Event("connectionstatechange"));
}"""


def test_who_was_not_reached_is_named_and_the_page_says_what_to_do(kitchen, opened):  # noqa: F811
    ana, ben, here = kitchen
    anas, bens = opened(ana, here), opened(ben, here)
    start(anas)
    join(bens)
    hears(anas)

    anas.page.evaluate(BLOCKED)

    nobody = dock(anas).get_by_role("heading", name="A call cannot be made from this network")
    expect(nobody).to_be_visible()
    assert not violations(anas.page, "nobody reached", inside=".callroom")
    dock(anas).get_by_role("button", name="Go on in writing").click()
    dock(anas).get_by_role("button", name="Leave the call").click()
    expect(anas.page.get_by_text("Not reached: Ben")).to_be_visible()


def test_a_muted_microphone_sends_silence(kitchen, opened):  # noqa: F811
    ana, ben, here = kitchen
    anas, bens = opened(ana, here), opened(ben, here)
    start(anas)
    join(bens)
    hears(bens)

    anas.page.keyboard.press("Alt+m")

    expect(dock(anas).get_by_role("button", name="Unmute")).to_be_visible()
    expect(seats(bens).filter(has_text="Ana")).to_have_accessible_name("Ana, muted")
    anas.page.wait_for_timeout(1000)
    before = bens.page.evaluate(ENERGY)
    anas.page.wait_for_timeout(2500)  # the fake microphone beeps every second
    assert bens.page.evaluate(ENERGY) - before < 1e-6
    dock(anas).get_by_role("button", name="Unmute").click()
    eventually(lambda: bens.page.evaluate(ENERGY) - before > 1e-4)


def test_the_picture_of_a_camera_arrives(kitchen, opened):  # noqa: F811
    ana, ben, here = kitchen
    anas, bens = opened(ana, here), opened(ben, here)
    start(anas)
    join(bens)
    hears(bens)

    dock(anas).get_by_role("button", name="Camera").click()

    eventually(lambda: bens.page.evaluate(WITH_CAMERA) > 0)
    expect(seats(bens).locator("video")).to_have_count(1)
    dock(anas).get_by_role("button", name="Camera").click()
    expect(seats(bens).locator("video")).to_have_count(0)


def test_a_direct_call_rings_in_every_window_until_it_is_answered(kitchen, opened):  # noqa: F811
    ana, ben, _ = kitchen
    anas = opened(ana, f"#narrow/dm/{ben.id}-ben")
    bens, other = opened(ben, "#inbox"), opened(ben, "#recent")
    start(anas)

    for user in (bens, other):
        expect(user.page.get_by_role("alert")).to_contain_text("Ana calls you")
        user.page.wait_for_function("tones > 0")
    assert not violations(bens.page, "ring", inside=".ring")
    bens.page.keyboard.press("Alt+a")
    expect(bens.page.get_by_role("button", name="Answer", exact=True)).to_be_focused()
    bens.page.keyboard.press("Enter")

    hears(anas)
    for user in (bens, other):
        expect(user.page.get_by_role("alert")).to_have_count(0)
    tones = [user.page.evaluate("tones") for user in (bens, other)]
    bens.page.wait_for_timeout(3000)  # it rings every 2.5 seconds
    assert [user.page.evaluate("tones") for user in (bens, other)] == tones


def test_a_declined_call_stops_ringing_and_is_missed(kitchen, opened):  # noqa: F811
    ana, ben, _ = kitchen
    anas, bens = opened(ana, f"#narrow/dm/{ben.id}-ben"), opened(ben, "#inbox")
    start(anas)

    bens.page.get_by_role("button", name="Decline").click()

    expect(bens.page.get_by_role("alert")).to_have_count(0)
    dock(anas).get_by_role("button", name="Leave").click()
    expect(anas.message("Call ended")).to_be_visible()
    bens.goes(f"#narrow/dm/{ana.id}-ana")
    missed = bens.page.get_by_role("group", name="You missed this call")
    missed.get_by_role("button", name="Call back").click()
    expect(dock(bens)).to_be_visible()


def test_a_call_is_answered_with_a_message(kitchen, opened):  # noqa: F811
    ana, ben, _ = kitchen
    anas, bens = opened(ana, f"#narrow/dm/{ben.id}-ben"), opened(ben, "#inbox")
    start(anas)
    ring = bens.page.get_by_role("alert")

    ring.get_by_role("button", name="Answer with a message").click()
    assert not violations(bens.page, "answers", inside=".ring")
    ring.get_by_role("button", name="On my way.").click()

    expect(ring).to_have_count(0)
    expect(anas.message("On my way.")).to_be_visible()


def test_mentioning_a_person_in_the_conversation_of_a_call_rings_for_them(kitchen, opened):  # noqa: F811
    ana, ben, here = kitchen
    anas, bens = opened(ana, here), opened(ben, "#inbox")
    start(anas)
    expect(anas.page.get_by_role("group", name="Call, going on")).to_be_visible()
    expect(bens.page.get_by_role("alert")).to_have_count(0)

    ana.says("@**Ben** join us", to="kitchen > lunch")

    expect(bens.page.get_by_role("alert")).to_contain_text("Ana calls you into lunch")
    bens.page.get_by_role("button", name="Answer", exact=True).click()
    hears(anas)


def test_the_address_of_a_notification_answers_only_while_it_rings(kitchen, opened):  # noqa: F811
    ana, ben, _ = kitchen
    anas, bens = opened(ana, f"#narrow/dm/{ben.id}-ben"), opened(ben, "#inbox")
    start(anas)
    expect(bens.page.get_by_role("alert")).to_be_visible()
    token = ben.get("/calls").succeeds()["calls"][0]["call_token"]
    answer = f"#narrow/dm/{ana.id}-ana/answer/{token}"

    bens.goes(answer)
    hears(anas)
    dock(bens).get_by_role("button", name="Leave").click()
    expect(dock(bens)).to_have_count(0)
    bens.goes("#inbox")
    bens.goes(answer)

    expect(bens.page.get_by_role("group", name="Call, going on")).to_be_visible()
    expect(dock(bens)).to_have_count(0)


def test_who_loses_access_hears_nothing_more(page_chat, opened):
    ana, ben = page_chat.people("ana", "ben")
    private = {"subscriptions": [{"name": "attic"}], "invite_only": True}
    ana.post("/users/me/subscriptions", **private, principals=[ana.id, ben.id]).succeeds()
    ana.says("Here", to="attic > x")
    here = f"#narrow/channel/{page_chat.channel('attic').id}-attic/topic/x"
    anas, bens = opened(ana, here), opened(ben, here)
    start(anas)
    join(bens)
    hears(anas)

    ben.delete("/users/me/subscriptions", subscriptions=["attic"]).succeeds()

    expect(seats(anas)).to_have_count(1)
    eventually(lambda: anas.page.evaluate(HEARD) == [])
    eventually(lambda: bens.page.evaluate(HEARD) == [])


def test_the_dock_stays_while_reading_elsewhere(kitchen, opened):  # noqa: F811
    ana, _, here = kitchen
    user = opened(ana, here)
    start(user)

    user.goes("#recent")

    expect(dock(user).locator("time")).to_have_text(re.compile(r"^\d+:\d\d$"))
    assert not violations(user.page, "dock", inside=".dock")
    dock(user).get_by_role("button", name="Mute").click()
    expect(dock(user)).to_contain_text("You are muted")
    dock(user).get_by_role("link", name="lunch").click()
    expect(user.page.get_by_role("group", name="Call, going on")).to_be_visible()
    expect(seats(user)).to_have_accessible_name("You, muted")


# A browser without a screen shows a drawing.
SCREEN = """navigator.mediaDevices.getDisplayMedia = async () => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, {width: 640, height: 400});
  const paper = canvas.getContext("2d");
  setInterval(() => {
    paper.fillStyle = "#faf7ee";
    paper.fillRect(0, 0, 640, 400);
    paper.fillStyle = "#333";
    paper.font = "28px serif";
    paper.fillText("118 seats", 260, 60 + Math.random());
  }, 50);
  return canvas.captureStream(20);
}"""


def test_a_screen_is_shared_seen_and_taken_over(kitchen, opened):  # noqa: F811
    ana, ben, here = kitchen
    anas, bens = opened(ana, here), opened(ben, here)
    for user in (anas, bens):
        user.page.evaluate(SCREEN)
    start(anas)
    join(bens)
    hears(bens)
    by_ana, by_ben = [
        dock(user).get_by_role("button", name="Share screen") for user in (anas, bens)
    ]

    by_ana.click()
    eventually(lambda: bens.page.evaluate(WITH_CAMERA) > 0)
    stage = dock(bens).get_by_role("figure")
    expect(stage).to_contain_text("Ana shares the screen")
    expect(stage.get_by_role("button", name="Whole screen")).to_be_visible()
    assert not violations(bens.page, "screen", inside=".callroom")

    by_ben.click()
    bens.page.get_by_role("button", name="Take over").click()
    expect(dock(anas).get_by_role("figure")).to_contain_text("Ben shares the screen")
    expect(by_ana).to_have_attribute("aria-pressed", "false")
    by_ben.click()
    expect(stage).to_have_count(0)


def test_the_room_covers_the_messages_and_what_is_covered_stays_unread(kitchen, opened):  # noqa: F811
    ana, ben, here = kitchen
    anas = opened(ana, here)
    start(anas)
    messages = dock(anas).get_by_role("button", name="Messages")
    expect(anas.message("Call, going on")).to_be_visible()

    messages.click()
    expect(anas.feed).to_have_count(0)
    unseen = ben.says("Do you see this?", to="kitchen > lunch")
    anas.page.wait_for_timeout(1500)
    assert "read" not in ana.get(f"/messages/{unseen.id}").succeeds()["message"]["flags"]
    messages.click()

    eventually(lambda: "read" in ana.get(f"/messages/{unseen.id}").succeeds()["message"]["flags"])


def test_devices_are_chosen_by_keyboard(kitchen, opened):  # noqa: F811
    ana, _, here = kitchen
    user = opened(ana, here)
    start(user)
    devices = dock(user).get_by_role("button", name="Devices")

    devices.focus()
    user.page.keyboard.press("Enter")
    panel = dock(user).get_by_role("group", name="Devices")
    expect(panel.get_by_role("radio").first).to_be_focused()
    assert not violations(user.page, "devices", inside=".callroom")
    panel.get_by_role("group", name="Microphone").get_by_role("radio").last.check()
    panel.get_by_role("button", name="Play a test sound").click()
    user.page.wait_for_function("tones > 0")
    user.page.keyboard.press("Escape")

    expect(panel).to_have_count(0)
    expect(devices).to_be_focused()
