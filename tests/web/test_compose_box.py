"""The compose box while a person writes: its destination, its notes, its limit, its size."""

import re

import pytest
from playwright.sync_api import FloatRect, Locator, Route, expect
from tests.support.axe import violations
from tests.support.browser_user import BrowserUser
from tests.support.waiting import eventually
from tests.web.test_compose import box, kitchen, texts  # noqa: F401
from tests.web.test_views import topic


def rect(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found is not None
    return found


def note(user: BrowserUser) -> Locator:
    return user.page.locator(".note")


def destination(user: BrowserUser) -> Locator:
    return user.page.locator(".dest")


def send_to(user: BrowserUser, text: str, chosen: str) -> None:
    """Choose another destination with the keyboard."""
    destination(user).press("Enter")
    field = user.page.get_by_role("combobox", name="Channel, topic or person")
    expect(field).to_be_focused()
    field.fill(text)
    options = user.page.get_by_role("listbox", name="Send to").get_by_role("option")
    expect(options.filter(has_text=chosen).first).to_be_visible()
    while chosen not in user.page.locator(".where [aria-selected=true]").inner_text():
        field.press("ArrowDown")
    field.press("Enter")


def test_enter_continues_code_and_lists_and_ctrl_enter_sends(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    box(user).click()
    key = user.page.locator(".keyhint")
    expect(key).to_have_text("Enter")

    user.page.keyboard.type("```python")
    expect(key).to_have_text("Ctrl Enter")
    for line in ("", "for each in soups:", "    stir(each)", "serve()"):
        user.page.keyboard.press("Enter")
        user.page.keyboard.press("Shift+Home")  # what the line above was indented by
        user.page.keyboard.type(line)
    user.page.keyboard.press("Enter")
    user.page.keyboard.type("```")
    expect(key).to_have_text("Enter")
    user.page.keyboard.press("Shift+Enter")
    user.page.keyboard.type("* salt")
    user.page.keyboard.press("Enter")
    user.page.keyboard.type("pepper")
    user.page.keyboard.press("Control+Enter")

    code = "```python\n\nfor each in soups:\n    stir(each)\nserve()\n```"
    eventually(lambda: sources(ben)[-1] == f"{code}\n* salt\n* pepper")


def sources(person):
    found = person.get(
        "/messages", anchor="newest", num_before=9, num_after=0, apply_markdown=False
    )
    return [each["content"] for each in found.succeeds()["messages"]]


def test_the_destination_changes_and_text_caret_and_draft_go_along(kitchen, page_chat, browse):  # noqa: F811
    ana, ben, here = kitchen
    ben.says("Bread too", to="kitchen > dinner")
    user = browse(ana).goes(here)
    box(user).fill("The soup is cold")
    box(user).press("Home")

    send_to(user, "dinn", "dinner")

    expect(user.page.get_by_role("textbox", name="Message to dinner in kitchen")).to_be_focused()
    expect(box(user)).to_have_value("The soup is cold")
    user.page.keyboard.type("Oh: ")
    expect(box(user)).to_have_value("Oh: The soup is cold")
    expect(note(user)).to_contain_text("You are reading lunch and writing to dinner.")
    assert not violations(user.page, "another destination", inside=".write")
    box(user).press("Control+Enter")
    expect(user.page.get_by_text("Sent to kitchen › dinner.")).to_be_visible()
    expect(user.page.get_by_role("textbox", name="Message to lunch in kitchen")).to_be_visible()
    expect(note(user)).to_be_hidden()
    assert texts(ben)[-1] == "<p>Oh: The soup is cold</p>"
    found = ben.get("/messages", anchor="newest", num_before=1, num_after=0).succeeds()
    assert found["messages"][-1]["subject"] == "dinner"


def test_sent_to_another_topic_is_said_only_after_the_answer(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    ben.says("Bread too", to="kitchen > dinner")
    user = browse(ana, service_workers="block").goes(here)
    asked: list[Route] = []
    user.page.route("**/json/messages", lambda route: asked.append(route))
    box(user).fill("The soup is cold")
    send_to(user, "dinn", "dinner")

    box(user).press("Control+Enter")
    expect(user.page.get_by_role("textbox", name="Message to lunch in kitchen")).to_have_value("")
    eventually(lambda: user.page.evaluate("1") and asked)
    expect(user.page.locator(".toast")).to_have_count(0)
    asked.pop().continue_()

    expect(user.page.locator(".toast")).to_contain_text("Sent to kitchen › dinner.")
    assert texts(ben)[-1] == "<p>The soup is cold</p>"


def test_a_refusal_is_said_where_the_message_is_not_shown(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    ben.says("Bread too", to="kitchen > dinner")
    user = browse(ana, service_workers="block").goes(here)
    refusal = {"result": "error", "code": "BAD_REQUEST", "msg": "The kitchen is closed."}
    user.page.route("**/json/messages", lambda route: route.fulfill(status=400, json=refusal))
    box(user).fill("The soup is cold")
    send_to(user, "dinn", "dinner")

    box(user).press("Control+Enter")
    notice = user.page.locator(".toast")
    expect(notice).to_contain_text("Not sent to kitchen › dinner: The kitchen is closed.")
    notice.get_by_role("link", name="Show it").click()

    failed = user.page.locator("[data-entry]").filter(has_text="The soup is cold")
    expect(failed).to_contain_text("Not sent: The kitchen is closed.")
    expect(notice).to_have_count(1)


def test_a_message_to_another_topic_waits_for_the_connection(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    ben.says("Bread too", to="kitchen > dinner")
    user = browse(ana, service_workers="block").goes(here)
    user.page.route("**/json/messages", lambda route: route.abort())
    box(user).fill("The soup is cold")
    send_to(user, "dinn", "dinner")

    box(user).press("Control+Enter")
    waits = "Waiting for the connection to send to kitchen › dinner."
    expect(user.page.locator(".toast").filter(has_text=waits)).to_be_visible()
    user.page.unroute("**/json/messages")

    sent = "Sent to kitchen › dinner."
    expect(user.page.locator(".toast").filter(has_text=sent)).to_be_visible()
    assert texts(ben)[-1] == "<p>The soup is cold</p>"


def test_a_message_for_a_topic_becomes_a_direct_message(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).fill("The soup is cold")

    send_to(user, "Ben", "Ben")
    box(user).press("Control+Enter")

    expect(user.page.get_by_text("Sent to Ben.")).to_be_visible()
    (message,) = ana.get(
        "/messages",
        anchor="newest",
        num_before=1,
        num_after=0,
        narrow=[{"operator": "is", "operand": "dm"}],
    ).succeeds()["messages"]
    assert message["content"] == "<p>The soup is cold</p>"


def test_a_new_topic_and_the_way_back(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).fill("The soup is cold")
    send_to(user, "complaints", "New topic “complaints” in kitchen")
    expect(
        user.page.get_by_role("textbox", name="Message to complaints in kitchen")
    ).to_be_focused()

    user.page.get_by_role("button", name="Write here instead").click()

    expect(user.page.get_by_role("textbox", name="Message to lunch in kitchen")).to_be_focused()
    expect(box(user)).to_have_value("The soup is cold")


def test_a_renamed_topic_elsewhere_changes_only_the_destination(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    bread = ben.says("Bread too", to="kitchen > dinner")
    user = browse(ana).goes(here)
    box(user).fill("The soup is cold")
    send_to(user, "dinn", "dinner")

    ben.patch(f"/messages/{bread.id}", topic="supper", propagate_mode="change_all").succeeds()

    expect(user.page.get_by_role("textbox", name="Message to supper in kitchen")).to_be_focused()
    expect(box(user)).to_have_value("The soup is cold")
    expect(user.page.get_by_role("heading", name="lunch")).to_be_visible()


def test_escape_closes_the_list_of_destinations_and_changes_nothing(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).fill("The soup is cold")
    destination(user).press("Enter")
    assert not violations(user.page, "destinations", inside=".write")

    user.page.keyboard.press("Escape")

    expect(destination(user)).to_be_focused()
    expect(user.page.get_by_role("dialog", name="Send to")).to_have_count(0)
    expect(user.page.get_by_role("textbox", name="Message to lunch in kitchen")).to_be_visible()


def test_a_writer_who_is_not_subscribed_can_subscribe(kitchen, page_chat, browse):  # noqa: F811
    _, _, here = kitchen
    cleo = page_chat.person("cleo")
    user = browse(cleo).goes(here)

    box(user).focus()
    expect(note(user)).to_contain_text("You are not subscribed to kitchen.")
    note(user).get_by_role("button", name="Subscribe").click()

    expect(note(user)).to_be_hidden()
    subscribed = cleo.get("/users/me/subscriptions").succeeds()["subscriptions"]
    assert "kitchen" in [each["name"] for each in subscribed]


def test_a_resolved_topic_says_so_and_can_be_unresolved(kitchen, page_chat, browse):  # noqa: F811
    ana, ben, _ = kitchen
    soup = ben.says("It is hot again", to="kitchen > heating")
    ben.patch(f"/messages/{soup.id}", topic="✔ heating", propagate_mode="change_all").succeeds()
    user = browse(ana).goes(topic(page_chat, "kitchen", "✔ heating"))

    box(user).fill("And cold again")
    expect(note(user)).to_contain_text("This topic is resolved.")
    note(user).get_by_role("button", name="Unresolve").click()

    expect(note(user)).to_be_hidden()
    expect(box(user)).to_have_value("And cold again")


def test_unresolving_is_offered_only_to_those_who_may(kitchen, page_chat, browse):  # noqa: F811
    ana, ben, _ = kitchen
    owner = page_chat.person("olga", role="owner")
    soup = ben.says("It is hot again", to="kitchen > heating")
    ben.patch(f"/messages/{soup.id}", topic="✔ heating", propagate_mode="change_all").succeeds()
    groups = owner.get("/user_groups").succeeds()["user_groups"]
    admins = next(each["id"] for each in groups if each["name"] == "role:administrators")
    owner.patch("/realm", can_resolve_topics_group={"new": admins}).succeeds()
    user = browse(ana).goes(topic(page_chat, "kitchen", "✔ heating"))

    box(user).focus()

    expect(note(user)).to_contain_text("This topic is resolved.")
    expect(note(user).get_by_role("button")).to_have_count(0)


def test_a_message_that_is_too_long_says_why_and_is_not_sent(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    counter = user.page.locator(".count")
    box(user).fill("x" * 8_900)
    expect(user.page.locator(".count")).to_be_hidden()

    box(user).fill("x" * 9_900)
    expect(counter).to_have_text("100")
    box(user).fill("x" * 10_240)

    expect(counter).to_have_text("−240")
    expect(note(user)).to_have_text("10,240 of 10,000 letters: 240 too many.Attach as a file")
    send = user.page.get_by_role("button", name="Send", exact=True)
    expect(send).to_have_attribute("aria-disabled", "true")
    expect(send).to_have_accessible_description(
        "10,240 of 10,000 letters: 240 too many. Attach as a file"
    )
    assert not violations(user.page, "too long", inside=".write")
    box(user).press("Control+Enter")
    user.page.wait_for_timeout(300)
    expect(box(user)).to_have_value("x" * 10_240)
    assert len(texts(ben)) == 1
    note(user).get_by_role("button", name="Attach as a file").click()
    expect(user.page.get_by_role("button", name="Remove message.txt")).to_be_visible()
    expect(box(user)).to_have_value("")
    expect(note(user)).to_be_hidden()


def test_a_message_of_exactly_the_longest_length_is_sent(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)

    for count, letter in enumerate(("x", "🎬"), start=2):
        box(user).fill(letter * 10_000)
        expect(user.page.locator(".count")).to_have_text("0")
        box(user).press("Control+Enter")

        expect(box(user)).to_have_value("")
        expect(user.feed.get_by_role("article")).to_have_count(count)


def test_calling_everyone_in_a_large_channel_can_be_made_silent(page_chat, browse):
    crowd = page_chat.people(*[f"guest{at}" for at in range(16)], channels=["kitchen"])
    ana = crowd[0]
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))

    box(user).fill("@**all** Soup's on")
    expect(note(user)).to_contain_text("@all notifies 16 people in kitchen.")
    note(user).get_by_role("button", name="Send without notifying").click()

    expect(user.message("Soup's on")).to_be_visible()
    assert 'class="user-mention channel-wildcard-mention silent"' in texts(ana)[-1]


def test_the_box_is_resized_by_keys_and_by_dragging(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).focus()
    handle = user.page.get_by_role("separator", name="Height of the box")
    before = rect(box(user))["height"]

    handle.press("ArrowUp")
    handle.press("ArrowUp")
    assert rect(box(user))["height"] == pytest.approx(before + 48, abs=2)
    at = rect(handle)
    user.page.mouse.move(at["x"] + at["width"] / 2, at["y"] + 4)
    user.page.mouse.down()
    user.page.mouse.move(at["x"] + at["width"] / 2, at["y"] - 96)
    user.page.mouse.up()
    assert rect(box(user))["height"] == pytest.approx(before + 148, abs=3)
    user.goes("#inbox").goes(here)
    box(user).focus()
    expect(user.page.locator(".sized")).to_be_visible()
    assert rect(box(user))["height"] == pytest.approx(before + 148, abs=3)

    handle.press("Home")
    assert rect(box(user))["height"] == pytest.approx(before, abs=2)


def test_the_box_fills_the_view_and_escape_brings_the_messages_back(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana).goes(here)
    box(user).fill("A long letter")

    user.page.get_by_role("button", name="Full screen").click()

    expect(box(user)).to_be_focused()
    assert rect(box(user))["height"] > 500
    assert not violations(user.page, "full screen", inside=".write")
    user.page.keyboard.press("Escape")
    expect(user.message("Soup's on")).to_be_visible()
    assert rect(box(user))["height"] < 200
    expect(box(user)).to_be_focused()
    expect(box(user)).to_have_value("A long letter")


SELECT = """([id, from, to]) => {
  const range = new Range();
  const find = (text) => {
    const walker = document.createTreeWalker(document.querySelector(`#message-${id} .what`), 4);
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(text);
      if (at >= 0) return [walker.currentNode, at];
    }
  };
  range.setStart(...find(from));
  const [node, at] = find(to);
  range.setEnd(node, at + to.length);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


@pytest.mark.parametrize("way", ["key", "button"])
def test_only_the_selected_part_of_a_message_is_quoted(kitchen, browse, way):  # noqa: F811
    ana, ben, here = kitchen
    long = ben.says("Salt and **pepper** by `noon`.\n\nThe rest is here.", to="kitchen > lunch")
    user = browse(ana).goes(here)
    message = user.message("The rest is here")
    message.focus()
    user.page.evaluate(SELECT, [long.id, "and", "noon"])

    if way == "key":
        user.page.keyboard.press(">")
    else:
        message.hover()
        message.get_by_role("button", name="Quote and reply").click()

    expect(box(user)).to_have_value(re.compile("```quote\nand \\*\\*pepper\\*\\* by `noon`\n```"))
    expect(box(user)).not_to_have_value(re.compile("Salt|rest"))


def test_a_message_is_quoted_whole_if_another_one_is_selected(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    other = ben.says("Bread too", to="kitchen > lunch")
    user = browse(ana).goes(here)
    user.page.evaluate(SELECT, [other.id, "Bread", "Bread"])
    user.message("Soup's on").focus()

    user.page.keyboard.press(">")

    expect(box(user)).to_have_value(re.compile("```quote\nSoup's on\n```"))


def test_notices_are_at_the_start_of_the_frame_above_the_compose_box(kitchen, browse):  # noqa: F811
    ana, _, here = kitchen
    user = browse(ana, permissions=["clipboard-read", "clipboard-write"]).goes(here)
    user.message("Soup's on").focus()
    user.page.keyboard.press("Shift+L")

    notice = rect(user.page.locator(".toast"))
    write = rect(user.page.locator(".write"))
    title = rect(user.page.get_by_role("heading", name="lunch"))
    assert notice["x"] == pytest.approx(title["x"], abs=2)
    assert 0 <= write["y"] - (notice["y"] + notice["height"]) <= 12


MEASURE = """text => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = getComputedStyle(document.querySelector(".write textarea")).font;
  return context.measureText(text).width;
}"""


def test_mentions_are_pills_as_wide_as_their_text_until_the_message_is_sent(
    kitchen,  # noqa: F811
    browse,
):
    ana, ben, here = kitchen
    user = browse(ana).goes(here)
    pills = user.page.locator(".pills span")
    box(user).fill("Hello")
    expect(pills).to_have_count(0)

    box(user).fill(f"Hello\n@**Ben** and @_**Ben|{ben.id}** and @**")

    expect(pills).to_have_text(["@**Ben**", f"@_**Ben|{ben.id}**"])
    text, first = rect(box(user)), rect(pills.first)
    padding = user.page.evaluate(
        "() => parseFloat(getComputedStyle(document.querySelector('.write textarea')).paddingLeft)"
    )
    assert first["x"] == pytest.approx(text["x"] + padding, abs=1)
    assert first["width"] == pytest.approx(user.page.evaluate(MEASURE, "@**Ben**"), abs=1)
    assert text["y"] + first["height"] < first["y"] < text["y"] + text["height"]

    box(user).fill("\n" * 40 + "@**Ben**")  # scrolled to its end
    box(user).press("Control+End")
    eventually(lambda: rect(pills.first)["y"] < text["y"] + rect(box(user))["height"])
    box(user).press("Control+Enter")
    expect(pills).to_have_count(0)


def test_a_message_in_slow_mode_waits_and_sends_itself(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    ana.patch(f"/streams/{ana.chat.channel('kitchen').id}", slow_mode_seconds=10).succeeds()
    user = browse(ben).goes(here)
    box(user).click()
    expect(note(user)).to_have_text("Slow mode: one message every 10 seconds.")
    box(user).fill("Bring spoons")
    eventually(lambda: ben.tries_to_say("The soup is on", to="kitchen > lunch").status == 200)

    box(user).press("Control+Enter")
    waiting = user.page.locator(".line.sending")
    expect(waiting).to_contain_text("Slow mode: sends by itself in")

    expect(waiting).to_have_count(0)
    eventually(lambda: texts(ana)[-2:] == ["<p>The soup is on</p>", "<p>Bring spoons</p>"])


def test_only_the_slow_channel_waits_and_a_message_can_be_withdrawn(kitchen, browse):  # noqa: F811
    ana, ben, here = kitchen
    ana.patch(f"/streams/{ana.chat.channel('kitchen').id}", slow_mode_seconds=3600).succeeds()
    user = browse(ben).goes(here)
    box(user).fill("Bring spoons")
    box(user).press("Control+Enter")
    waiting = user.page.locator(".line.sending")
    expect(waiting).to_contain_text("Bring spoons")

    send_to(user, "Ana", "Ana")
    box(user).fill("I cannot write more")
    box(user).press("Control+Enter")
    eventually(lambda: texts(ana)[-1] == "<p>I cannot write more</p>")

    waiting.get_by_role("button", name="Do not send").click()
    expect(waiting).to_have_count(0)
    assert "<p>Bring spoons</p>" not in texts(ana)
