"""Commands, buttons and forms of bots in the page."""

from playwright.sync_api import expect
from tests.support.waiting import eventually

BUTTONS = [
    {"id": "live", "short_name": "A", "long_name": "Put it on live", "reply": "live"},
    {"id": "stop", "short_name": "B", "long_name": "Stop it", "reply": "stop", "style": "danger"},
]
FORM = {
    "title": "Why?",
    "fields": [
        {"name": "reason", "type": "long_text"},
        {"name": "day", "type": "date", "required": False},
    ],
}


def scene(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    bot = page_chat.person("deploy", bot="generic", owner=ben)
    kitchen = page_chat.channel("kitchen").id
    ben.says("Hello", to="kitchen > lunch")
    page = browse(ana, page_chat).goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch").page
    page.get_by_role("textbox", name="Message to").click()
    expect(page.locator("#compose-note")).to_be_attached()  # the parts of the box are loaded
    return ana, ben, bot, page


def sends_buttons(bot, **more):
    data = {"type": "choices", "heading": "Ready for live", "choices": BUTTONS, **more}
    widget = {"widget_type": "zform", "extra_data": data}
    where = {"type": "channel", "to": "kitchen", "topic": "lunch", "content": "Ready?"}
    return bot.post("/messages", widget_content=widget, **where).succeeds()["id"]


def asked_for_form(bot):
    for use in fetched(bot):
        bot.post(f"/interactions/{use['id']}/answer", form=FORM).succeeds()
        return True
    return False


def newest_content(person):
    page = person.get("/messages", anchor="newest", num_before=1, apply_markdown=False)
    return page.succeeds()["messages"][-1]["content"]


def fetched(bot):
    return bot.post("/interactions/fetch").succeeds()["interactions"]


def test_a_command_is_completed_filled_in_and_answered_for_one_person(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    servers = [{"value": "staging"}, {"value": "live"}]
    parameters = [
        {"name": "version", "type": "text"},
        {"name": "server", "type": "choice", "choices": servers},
    ]
    about = {"description": "Put a version on a server", "parameters": parameters}
    bot.post("/commands", name="deploy", **about).succeeds()
    box = page.get_by_role("textbox", name="Message to")

    box.click()
    box.press_sequentially("/dep")
    page.get_by_role("option", name="/deploy Put a version on a server").click()
    slots = page.get_by_role("group", name="Command deploy")
    version = slots.get_by_role("textbox", name="version, needed")
    expect(version).to_be_focused()
    version.press_sequentially("2026.11")
    page.keyboard.press("Tab")
    server = slots.get_by_role("combobox", name="server, needed")
    server.fill("prod")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("“prod” is none of: staging, live.")
    expect(page.get_by_role("button", name="Run")).to_be_disabled()
    server.fill("li")
    page.get_by_role("option", name="live").click()
    server.press("Enter")
    expect(slots).to_have_count(0)
    expect(page.locator(".only-you")).to_contain_text("/deploy Deploy has not answered yet.")

    (use,) = fetched(bot)
    assert use["values"] == {"version": "2026.11", "server": "live"}
    answer = {"content": "It is **live**.", "only_you": True}
    bot.post(f"/interactions/{use['id']}/answer", **answer).succeeds()
    line = page.locator(".only-you")
    expect(line).to_contain_text("Only you see this")
    expect(line).to_contain_text("It is live.")
    expect(box).to_have_value("")


def test_a_pasted_line_fills_the_slots_and_is_run(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    numbers = [{"name": "row", "type": "number", "max": 20}, {"name": "who", "type": "person"}]
    bot.post("/commands", name="seat", description="Where?", parameters=numbers).succeeds()
    box = page.get_by_role("textbox", name="Message to")

    box.fill("/seat 21 Ben")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_have_text("This must be at most 20.")
    row = page.get_by_role("textbox", name="row, needed")
    expect(row).to_be_focused()
    row.fill("12")
    row.press("Enter")

    expect(page.get_by_role("group", name="Command seat")).to_have_count(0)
    (use,) = fetched(bot)
    assert use["values"]["row"] == 12


def test_slots_are_kept_over_a_reload_and_can_become_text_again(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    about = {"name": "version", "type": "text"}
    bot.post("/commands", name="deploy", description="Put it", parameters=[about]).succeeds()
    box = page.get_by_role("textbox", name="Message to")
    box.press_sequentially("/dep")
    page.get_by_role("option", name="/deploy").click()
    version = page.get_by_role("textbox", name="version, needed")
    version.fill("2026.11")
    expect(page.get_by_text("Draft saved")).to_be_attached()

    page.reload()
    page.get_by_role("textbox", name="Message to").click()
    expect(version).to_have_value("2026.11")
    version.fill("")
    version.press("Backspace")

    expect(box).to_be_focused()
    expect(page.get_by_role("group", name="Command deploy")).to_have_count(0)


def test_a_form_and_what_was_entered_are_there_again_after_a_reload(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    sends_buttons(bot)
    page.get_by_role("button", name="Put it on live").click()
    eventually(lambda: asked_for_form(bot))
    page.get_by_role("dialog", name="Why?").get_by_label("reason").fill("It is time")

    page.reload()

    dialog = page.get_by_role("dialog", name="Why?")
    expect(dialog.get_by_label("reason")).to_have_value("It is time")
    expect(dialog).to_contain_text("1 of 1 filled in")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog).to_have_count(0)
    (sent,) = fetched(bot)
    assert sent["values"] == {"reason": "It is time"}


def test_a_call_that_no_bot_has_fetched_is_taken_back(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    bot.post("/commands", name="soup", description="What is there?").succeeds()
    box = page.get_by_role("textbox", name="Message to")
    box.fill("/soup")
    page.keyboard.press("Control+Enter")

    line = page.locator(".only-you")
    line.get_by_role("button", name="Take it back").click()

    expect(line).to_have_count(0)
    assert fetched(bot) == []


def test_an_unknown_command_asks_and_two_slashes_write_one(page_chat, browse):
    _, ben, _, page = scene(page_chat, browse)
    box = page.get_by_role("textbox", name="Message to")
    box.click()
    box.fill("/nothing here")
    page.keyboard.press("Control+Enter")

    dialog = page.get_by_role("dialog", name="There is no command /nothing")
    dialog.get_by_role("button", name="Cancel").click()
    expect(box).to_have_value("/nothing here")
    box.fill("//nothing here")
    page.keyboard.press("Control+Enter")

    expect(page.get_by_role("article").filter(has_text="/nothing here")).to_be_visible()
    eventually(lambda: newest_content(ben) == "/nothing here")


def test_a_button_is_pressed_its_form_is_sent_and_all_see_who_pressed(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    sends_buttons(bot)
    card = page.locator(".appcard")

    card.get_by_role("button", name="Put it on live").click()
    expect(card).to_contain_text("You pressed “Put it on live”. Deploy has not answered yet.")
    expect(card.get_by_role("button", name="Stop it")).to_be_disabled()
    (use,) = fetched(bot)
    bot.post(f"/interactions/{use['id']}/answer", form=FORM).succeeds()

    dialog = page.get_by_role("dialog", name="Why?")
    expect(dialog).to_contain_text(
        "Asked by Deploy (bot of Ben). What you enter goes to it, and your name."
    )
    dialog.get_by_label("reason").fill("It is time")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog).to_have_count(0)
    expect(card).to_contain_text("Put it on live pressed by Ana")
    expect(card.get_by_role("button")).to_have_count(0)
    (sent,) = fetched(bot)
    assert sent["values"] == {"reason": "It is time"}


def test_a_built_in_command_is_sent_although_the_chunk_of_commands_does_not_load(page_chat, browse):
    _, ben, _, page = scene(page_chat, browse)
    page.route("**/apps-*.js", lambda route: route.abort())
    box = page.get_by_role("textbox", name="Message to")
    box.click()
    box.fill("/me waves")
    page.keyboard.press("Control+Enter")

    eventually(lambda: newest_content(ben) == "/me waves")


def test_an_unknown_command_asks_before_the_box_is_fully_loaded(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    kitchen = page_chat.channel("kitchen").id
    ben.says("Hello", to="kitchen > lunch")
    user = browse(ana, page_chat)
    held = []
    user.page.route("**/composer-*.js", lambda route: held.append(route))
    page = user.goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch").page
    box = page.get_by_role("textbox", name="Message to")
    box.fill("/nothing here")
    page.keyboard.press("Control+Enter")
    eventually(lambda: page.wait_for_timeout(10) or held)
    for route in held:
        route.continue_()

    expect(page.get_by_role("dialog", name="There is no command /nothing")).to_be_visible()
    assert newest_content(ben) == "Hello"


def test_a_new_command_is_offered_without_a_reload(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    box = page.get_by_role("textbox", name="Message to")
    box.press_sequentially("/")
    expect(page.get_by_role("option", name="/poll")).to_be_visible()
    box.fill("")
    bot.post("/commands", name="soup", description="What is there today?").succeeds()
    bot.post("/messages", type="channel", to="kitchen", topic="lunch", content="New!").succeeds()
    expect(page.get_by_role("article").filter(has_text="New!")).to_be_visible()

    box.press_sequentially("/so")

    expect(page.get_by_role("option", name="/soup What is there today?")).to_be_visible()


def test_a_press_waits_for_its_bot_although_its_event_comes_before_the_response(page_chat, browse):
    _, ben, bot, page = scene(page_chat, browse)
    sends_buttons(bot)
    page.evaluate(
        """() => {
            const send = window.fetch;
            window.fetch = async (address, ...more) => {
                const response = await send(address, ...more);
                if (String(address).endsWith("/press")) await new Promise((go) => (window.go = go));
                return response;
            };
        }"""
    )
    card = page.locator(".appcard")

    card.get_by_role("button", name="Put it on live").click()
    expect(card).to_contain_text("Deploy has not answered yet.")
    page.wait_for_function("Boolean(window.go)")
    ben.says("Who did it?", to="kitchen > lunch")
    expect(page.get_by_role("article").filter(has_text="Who did it?")).to_be_visible()
    page.evaluate("window.go()")

    expect(card).to_contain_text("Deploy has not answered yet.")
    expect(card.get_by_role("button", name="Stop it")).to_be_disabled()
    (use,) = fetched(bot)
    bot.post(f"/interactions/{use['id']}/answer", content="Done").succeeds()
    expect(card).to_contain_text("Put it on live pressed by Ana")


def test_an_administrator_sees_where_commands_work_and_whose_bots_do_not_answer(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    bot = page_chat.person("deploy", bot="generic", owner=ben)
    about = {"description": "Put it", "parameters": [{"name": "version", "type": "text"}]}
    bot.post("/commands", name="deploy", **about).succeeds()
    eva = page_chat.person("eva", role="owner", channels=["kitchen"])
    page = browse(eva, page_chat).goes("#organization/commands").page

    row = page.get_by_role("row").filter(has_text="/deploy")
    expect(row).to_contain_text("version")
    expect(row).to_contain_text("Deploy")
    expect(row).to_contain_text("everywhere")
    expect(row).to_contain_text("On")
    row.get_by_role("button", name="/deploy").click()
    page.get_by_role("menuitem", name="Change…").click()
    dialog = page.get_by_role("dialog", name="/deploy")
    dialog.get_by_label("kitchen").check()
    dialog.get_by_label("In direct conversations").uncheck()
    dialog.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("kitchen")
    (changed,) = ana.get("/commands").succeeds()["commands"]
    assert (len(changed["stream_ids"]), changed["in_direct"]) == (1, False)

    row.get_by_role("button", name="/deploy").click()
    page.get_by_role("menuitem", name="Remove").click()

    expect(row).to_have_count(0)
    assert ana.get("/commands").succeeds()["commands"] == []
