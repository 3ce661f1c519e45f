"""Nothing jumps: rows stay in place while content around them grows, arrives or disappears."""

import importlib
import re

import pytest
from playwright.sync_api import expect
from tests.support.scroll_stability import MEASURE, write_story

NEW = re.compile(r"\d new")


def a_long_story(page_chat, count=700):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    found = page_chat.write(write_story, [ana.id, ben.id], "kitchen", "soup", count)
    ana.post("/mark_all_as_read").succeeds()
    return ana, ben, found, f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/soup"


LONG = pytest.param(400, 30, marks=pytest.mark.soak)


@pytest.mark.parametrize("steps, growths", [(60, 6), LONG])
def test_rows_stay_in_place_in_chromium(page_chat, browse, steps, growths):
    ana, _, _, here = a_long_story(page_chat)
    page = browse(ana, viewport={"width": 800, "height": 500}).goes(here).page

    found = page.evaluate(MEASURE, {"steps": steps, "growths": growths})

    assert found["jumps"] == []
    assert found["judged"] > steps
    assert found["most"] <= 300


@pytest.mark.thorough
@pytest.mark.on_one
@pytest.mark.parametrize("steps, growths", [(20, 4), LONG])
def test_rows_stay_in_place_in_webkit(own_chat, steps, growths):
    ana, _, _, here = a_long_story(own_chat)

    webkit = importlib.import_module("tests.support.webkit")  # long to load, and for this alone
    with webkit.running_webkit(ana, here) as window:
        found = window.measure(MEASURE, {"steps": steps, "growths": growths})

    assert found["jumps"] == []
    assert found["judged"] > steps
    assert found["most"] <= 300


# Goes back to the start of the open list, and counts what is in the document on the way.
GO_BACK = """async (first) => {
  const scroller = document.querySelector(".main > .scroll");
  const seen = new Set();
  let most = 0, elements = 0;
  while (!document.getElementById(first)) {
    scroller.scrollTop = 0;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const rows = scroller.querySelectorAll("[role=feed] article");
    for (const row of rows) seen.add(row.id);
    most = Math.max(most, rows.length);
    elements = Math.max(elements, document.querySelectorAll("*").length);
  }
  return {seen: seen.size, most, elements};
}"""
MEGABYTE = 1_000_000


@pytest.mark.soak
def test_after_ten_thousand_messages_the_document_has_few_rows(page_chat, browse):
    ana, _, result, here = a_long_story(page_chat, 10_000)
    at_anas = browse(ana).goes(here)

    found = at_anas.page.evaluate(GO_BACK, f"message-{result[0]}")

    tools = at_anas.context.new_cdp_session(at_anas.page)
    tools.send("Performance.enable")
    tools.send("HeapProfiler.collectGarbage")
    metrics = tools.send("Performance.getMetrics")["metrics"]
    (held,) = (each["value"] for each in metrics if each["name"] == "JSHeapUsedSize")
    print(f"{found}, {held / MEGABYTE:.1f} MB")
    assert found["seen"] == len(result)
    assert found["most"] <= 300
    assert found["elements"] <= 4000
    assert held < 30 * MEGABYTE
    at_anas.page.keyboard.press("End")
    expect(at_anas.page.locator(f"#message-{result[-1]}")).to_be_focused()
    assert at_anas.feed.get_by_role("article").count() <= 300


def test_new_messages_scroll_only_a_view_at_its_end(page_chat, browse):
    ana, ben, found, here = a_long_story(page_chat, 80)
    at_anas = browse(ana).goes(here)
    ben.says("the end?", to="kitchen > soup")
    expect(at_anas.message("the end?")).to_be_in_viewport()

    at_anas.page.evaluate("document.querySelector('.main > .scroll').scrollTop -= 600")
    row = at_anas.page.locator(f"#message-{found[60]}")
    before = row.bounding_box()
    ben.says("not yet", to="kitchen > soup")
    expect(at_anas.page.get_by_role("button", name=NEW)).to_be_visible()
    ben.patch(f"/messages/{found[59]}", content="a long\n\nlong\n\nedit").succeeds()
    expect(at_anas.message("long edit")).to_have_count(1)

    assert abs(row.bounding_box()["y"] - before["y"]) <= 1
    at_anas.page.get_by_role("button", name=NEW).click()
    expect(at_anas.message("not yet")).to_be_in_viewport()


TO_THE_UPPER_EDGE = """async (first) => {
  const scroller = document.querySelector(".main > .scroll");
  for (let step = 0; step < 100 && !document.getElementById(first); step++) {
    scroller.scrollTop = 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""


def test_the_upper_edge_loads_older_messages(page_chat, browse):
    ana, _, found, here = a_long_story(page_chat, 200)
    page = browse(ana).goes(here).page

    page.evaluate(TO_THE_UPPER_EDGE, f"message-{found[0]}")

    expect(page.locator(f"#message-{found[0]}")).to_be_attached()


def test_a_reload_keeps_the_scroll_position(page_chat, browse):
    ana, _, _, here = a_long_story(page_chat, 300)
    page = browse(ana).goes(here).page
    page.evaluate("document.querySelector('.main > .scroll').scrollTop -= 2500")
    rows = page.evaluate(
        "[...document.querySelectorAll('[role=feed] article')]"
        ".map((row) => [row.id, row.getBoundingClientRect().top])"
    )
    seen = next(row for row, top in rows if top > 200)
    before = page.locator(f"#{seen}").bounding_box()

    page.reload()
    page.wait_for_selector("body[data-ready]")

    assert abs(page.locator(f"#{seen}").bounding_box()["y"] - before["y"]) <= 1
