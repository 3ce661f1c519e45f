"""What opens over a view and in the compose box: it fits at 200 % zoom and obeys reduced motion."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.web.test_attachments import attach, menu
from tests.web.test_views import topic

# A window of 1280 × 720 pixels at 200 %.
ZOOMED: dict[str, Any] = {"viewport": {"width": 640, "height": 360}, "device_scale_factor": 2}

# What of an opened part is outside the window, or hidden in a box that does not scroll.
OUTSIDE = """(part) => {
  const root = document.querySelector(part);
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the document"] : [];
  const frame = root.getBoundingClientRect();
  if (frame.left < -1 || frame.right > innerWidth + 1) wide.push("the width of the part");
  if (frame.top < -1 || frame.bottom > innerHeight + 1) wide.push("the height of the part");
  for (const each of root.querySelectorAll("button, input, textarea, select, [role=option]")) {
    if (!each.checkVisibility({ visibilityProperty: true })) continue;
    each.scrollIntoView({ block: "nearest", inline: "nearest" });
    const at = each.getBoundingClientRect();
    const isIn = at.left >= -1 && at.right <= innerWidth + 1 && at.top >= -1
      && at.top < innerHeight;
    if (!isIn) wide.push(each.outerHTML.slice(0, 120));
  }
  return wide;
}"""
MOVING = "document.getAnimations().filter((each) => each.playState === 'running').length"


def _opens_the_switcher(page: Page) -> str:
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Go to").fill("e")
    return "dialog[open]"


def _opens_the_picker(page: Page) -> str:
    page.get_by_role("button", name="Emoji").first.click()
    expect(page.get_by_role("heading", name="Most used by you")).to_be_visible()
    return ".picker"


def _opens_the_status(page: Page) -> str:
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector('.side').classList.add('open')")
    page.get_by_role("button", name="Ana").first.click()
    page.get_by_role("menuitem", name="Set a status…").click()
    return ".pop.status"


def _opens_a_form(name: str) -> Callable[[Page], str]:
    def opens(page: Page) -> str:
        page.get_by_role("button", name="Insert and format").click()
        page.get_by_role("menuitem", name=name).click()
        return ".form-in"

    return opens


def _opens_the_destinations(page: Page) -> str:
    page.locator(".dest").click()
    page.get_by_role("combobox", name="Channel, topic or person").fill("e")
    return ".where"


def _fills_the_view(page: Page) -> str:
    page.get_by_role("button", name="Full screen").click()
    return ".write.full"


def _opens_the_menu(page: Page) -> str:
    page.get_by_role("article").first.focus()
    page.keyboard.press("i")
    return "[role=menu]"


PARTS = {
    "switcher": _opens_the_switcher,
    "picker": _opens_the_picker,
    "status": _opens_the_status,
    "poll": _opens_a_form("Poll…"),
    "table": _opens_a_form("Table…"),
    "time": _opens_a_form("Time…"),
    "destination": _opens_the_destinations,
    "full screen": _fills_the_view,
    "menu": _opens_the_menu,
}


@pytest.mark.parametrize("part", PARTS)
def test_an_opened_part_fits_at_200_percent_and_does_not_move(page_chat, browse, part):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "garden"])
    ben.says("Soup's on", to="kitchen > lunch")
    user = browse(ana, **ZOOMED).goes(topic(page_chat, "kitchen", "lunch"))
    page = user.page
    box = page.get_by_role("textbox", name="Message to")
    box.fill("Half a sentence")
    expect(page.locator(".dest")).to_be_visible()

    opened = PARTS[part](page)
    expect(page.locator(opened)).to_be_visible()

    assert page.evaluate(MOVING) == 0
    assert page.evaluate(OUTSIDE, opened) == []


def test_chips_fit_at_200_percent(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    user = browse(ana, **ZOOMED).goes(topic(page_chat, "kitchen", "lunch"))
    user.page.get_by_role("textbox", name="Message to").fill("Two files")

    attach(user, menu("a very long name of a menu for the whole week.txt"), menu("soup.txt"))
    expect(user.page.get_by_role("button", name="Remove soup.txt")).to_be_visible()

    assert user.page.evaluate(MOVING) == 0
    assert user.page.evaluate(OUTSIDE, ".write") == []
