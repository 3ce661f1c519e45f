"""The page under a finger: swipes, long presses, the way back, the keyboard, and screen edges."""

import importlib
import re
from functools import partial

import pytest
from playwright.sync_api import expect
from tests.support.waiting import eventually
from tests.web.test_views import topic

pytestmark = pytest.mark.on_one

PHONES = [(390, 844), (360, 640)]


def phone(width, height):
    return {"viewport": {"width": width, "height": height}, "has_touch": True, "is_mobile": True}


@pytest.fixture(params=PHONES, ids=str)
def size(request):
    return phone(*request.param)


class Finger:
    """Touches of the browser itself, not events of a script."""

    def __init__(self, user):
        self._tools = user.context.new_cdp_session(user.page)
        self._user = user

    def swipes(self, locator, across=0, down=0):
        self.presses(locator)
        x, y = self._at
        for part in (
            0.2,
            0.5,
            0.8,
            1,
            1,
        ):  # it rests at the end: a fling would swallow the next tap
            self._send("touchMove", [{"x": x + across * part, "y": y + down * part}])
            self._user.page.wait_for_timeout(50)
        self.lifts()

    def presses(self, locator):
        locator.scroll_into_view_if_needed()
        box = locator.bounding_box()
        self._at = box["x"] + min(box["width"] / 2, 120), box["y"] + box["height"] / 2
        self._send("touchStart", [dict(zip("xy", self._at, strict=True))])

    def lifts(self):
        self._send("touchEnd", [])

    def _send(self, kind, points):
        self._tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.fixture
def scene(own_chat, browse, size):
    """Ana's phone shows what Ben has written."""
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup is on", to="kitchen > lunch")
    ben.says("Are you there?", to=[ana])
    user = browse(ana, own_chat, **size)
    user.goes("#inbox").goes(topic(own_chat, "kitchen", "lunch"))
    ready(user.page)
    return ana, ben, user


def ready(page):
    """Gestures are loaded after the first view."""
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(each => each.name.includes('/phone-'))"
    )


def test_a_swipe_on_a_message_replies_to_it(scene):
    _, _, user = scene

    Finger(user).swipes(user.message("Soup is on"), across=150)

    expect(user.page.get_by_role("textbox", name="Message")).to_have_value(
        re.compile("Ben.*Soup is on", re.DOTALL)
    )


def test_a_swipe_up_or_down_or_from_the_edge_is_the_browsers(scene):
    _, _, user = scene
    finger, box = Finger(user), user.page.get_by_role("textbox", name="Message")

    finger.swipes(user.message("Soup is on"), across=60, down=-120)
    finger.swipes(user.message("Soup is on"), across=-150)

    expect(box).to_have_value("")


def test_a_long_press_on_a_message_opens_its_menu(scene):
    _, _, user = scene
    finger = Finger(user)

    finger.presses(user.message("Soup is on").locator("p"))
    expect(user.page.locator("article.held")).to_be_visible()
    finger.lifts()

    expect(user.page.get_by_role("menuitem", name="Forward")).to_be_visible()
    assert user.page.evaluate("() => getSelection().toString()") == ""


def test_a_swipe_on_a_row_of_the_inbox_marks_it_as_read_until_it_is_undone(scene):
    _, _, user = scene
    row = user.goes("#inbox").page.locator("a.item").filter(has_text="Are you there?")

    Finger(user).swipes(row, across=150)
    expect(row).to_have_count(0)
    user.page.get_by_role("button", name="Undo").tap()

    expect(row).to_be_visible()


def test_pulling_down_connects_again_at_once(scene):
    _, _, user = scene
    page = user.goes("#inbox").page
    done = page.get_by_text("Everything is up to date")

    Finger(user).swipes(page.locator(".head h1"), down=200)
    Finger(user).swipes(page.locator(".sub").first, down=60)
    expect(done).to_have_count(0)
    with page.expect_request(re.compile("/json/events.*dont_block=true")):
        Finger(user).swipes(page.locator(".sub").first, down=200)

    expect(done).to_be_visible()
    expect(page.locator(".bar")).to_have_attribute("data-state", "live")


def test_going_back_closes_what_covers_the_view_and_then_goes_back(scene):
    _, _, user = scene
    page = user.page
    here = page.url

    page.locator(".head .tools button").last.tap()
    expect(page.get_by_role("menu")).to_be_visible()
    page.evaluate("history.back()")
    expect(page.get_by_role("menu")).to_have_count(0)
    assert page.url == here

    page.locator(".head .tools button").last.tap()
    page.touchscreen.tap(100, 200)  # closes it, too
    expect(page.get_by_role("menu")).to_have_count(0)
    page.evaluate("history.back()")
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()


def test_going_back_closes_the_sidebar_and_one_dialog_after_the_other(scene):
    _, _, user = scene
    page = user.goes("#inbox").page

    page.get_by_role("button", name="Open the sidebar").tap()
    expect(page.locator(".side.open")).to_have_count(1)
    page.evaluate("history.back()")
    expect(page.locator(".side.open")).to_have_count(0)

    user.page.evaluate("location.hash = '#settings/notifications'")
    settings = page.get_by_role("dialog", name="Settings")
    expect(settings).to_be_visible()
    page.evaluate("history.back()")
    expect(settings).to_have_count(0)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()


# A browser without a screen has no keyboard: it says what iOS would say of its own.
KEYBOARD = """async height => {
  Object.defineProperty(visualViewport, "height", {get: () => height, configurable: true});
  visualViewport.dispatchEvent(new Event("resize"));
}"""


def test_the_keyboard_never_hides_the_box(scene, size):
    _, _, user = scene
    page, box = user.page, user.page.get_by_role("textbox", name="Message")
    height = size["viewport"]["height"]
    box.tap()

    page.evaluate(KEYBOARD, height - 300)
    eventually(lambda: bottom(box) <= height - 300)
    expect(user.message("Soup is on")).to_be_in_viewport()

    page.evaluate(KEYBOARD, height)
    eventually(lambda: bottom(box) > height - 300)


def is_above(locator, y):
    return bottom(locator) <= y


def box_of(page):
    return page.get_by_role("textbox", name="Message")


def bottom(locator):
    box = locator.bounding_box()
    return box["y"] + box["height"]


EDGES = {"top": 47, "bottom": 34, "left": 44, "right": 44}


def test_nothing_lies_below_the_edges_of_a_phone_in_both_orientations(scene, size):
    _, _, user = scene
    page = user.page
    tools = user.context.new_cdp_session(page)
    tools.send("Emulation.setSafeAreaInsetsOverride", {"insets": EDGES})
    for width, height in (
        tuple(size["viewport"].values()),
        tuple(size["viewport"].values())[::-1],
    ):
        page.set_viewport_size({"width": width, "height": height})
        eventually(partial(is_above, box_of(page), height - EDGES["bottom"]))
        for each in (page.locator(".head h1"), box_of(page), user.message("Soup is on")):
            box = each.bounding_box()
            assert box["x"] >= EDGES["left"]
            assert box["x"] + box["width"] <= width - EDGES["right"]
        assert page.locator(".head h1").bounding_box()["y"] >= (EDGES["top"] if width < 700 else 0)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# Its driver has a mouse only: the events of a finger are made by a script.
TOUCH = """async ([selector, across, holdMs]) => {
  const row = document.querySelector(selector);
  const {left, top, height} = row.getBoundingClientRect();
  const send = (kind, x) => {
    const touch = {clientX: left + 80 + x, clientY: top + height / 2};
    const touches = kind === "touchend" ? [] : [touch];
    row.dispatchEvent(Object.assign(new Event(kind, {bubbles: true, cancelable: true}), {touches}));
  };
  send("touchstart", 0);
  await new Promise(resolve => setTimeout(resolve, holdMs));
  if (across) send("touchmove", across);
  send("touchend", across);
}"""


def test_gestures_going_back_and_both_sizes_work_in_webkit(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup is on", to="kitchen > lunch")
    ben.says("Are you there?", to=[ana])
    webkit = importlib.import_module("tests.support.webkit")
    with webkit.running_webkit(ana, "#inbox", size=PHONES[0]) as window:
        for width, height in PHONES:
            window.resize(width, height)
            window.driver.execute_script(f"location.hash = '{topic(own_chat, 'kitchen', 'lunch')}'")
            window.sees("article", "Soup is on")
            box = window.rect("textarea")
            assert box["y"] + box["height"] <= height
            wide = window.driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width

            window.measure(TOUCH, ["article[data-id]", 0, 600])
            window.sees("[role=menuitem]", "Forward")
            window.driver.execute_script("history.back()")
            window.sees_no("[role=menu]")
            window.measure(KEYBOARD, height - 300)
            box = window.rect("textarea")
            assert box["y"] + box["height"] <= height - 300
            window.measure(KEYBOARD, height)
            window.driver.execute_script("history.back()")
            window.sees("h1", "Inbox")

        window.measure(TOUCH, ["a.item[data-key^=d]", 150, 0])
        window.sees(".undo", "Undo")
        window.driver.execute_script(f"location.hash = '{topic(own_chat, 'kitchen', 'lunch')}'")
        window.measure(TOUCH, ["article[data-id]", 150, 0])
        read = "return document.querySelector('textarea').value"
        eventually(lambda: "Soup is on" in window.driver.execute_script(read))
