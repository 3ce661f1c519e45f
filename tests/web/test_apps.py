"""Commands, buttons and forms of bots in the page."""

from playwright.sync_api import expect

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
    box.press_sequentially("2026.11")
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="/deploy")
    expect(dialog.get_by_label("version")).to_have_value("2026.11")
    dialog.get_by_role("button", name="Run").click()
    expect(dialog).to_contain_text("This is needed.")
    dialog.get_by_label("server").select_option("live")
    dialog.get_by_role("button", name="Run").click()
    expect(dialog).to_have_count(0)

    (use,) = fetched(bot)
    assert use["values"] == {"version": "2026.11", "server": "live"}
    answer = {"content": "It is **live**.", "only_you": True}
    bot.post(f"/interactions/{use['id']}/answer", **answer).succeeds()
    line = page.locator(".only-you")
    expect(line).to_contain_text("Only you see this")
    expect(line).to_contain_text("It is live.")
    expect(box).to_have_value("")


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
    newest = ben.get("/messages", anchor="newest", num_before=1, apply_markdown=False)
    assert newest.succeeds()["messages"][-1]["content"] == "/nothing here"


def test_a_button_is_pressed_its_form_is_sent_and_all_see_who_pressed(page_chat, browse):
    _, _, bot, page = scene(page_chat, browse)
    data = {"type": "choices", "heading": "Ready for live", "choices": BUTTONS}
    widget = {"widget_type": "zform", "extra_data": data}
    where = {"type": "channel", "to": "kitchen", "topic": "lunch", "content": "Ready?"}
    bot.post("/messages", widget_content=widget, **where).succeeds()
    card = page.locator(".appcard")

    card.get_by_role("button", name="Put it on live").click()
    expect(card).to_contain_text("You pressed “Put it on live”. Deploy has not answered yet.")
    expect(card.get_by_role("button", name="Stop it")).to_be_disabled()
    (use,) = fetched(bot)
    bot.post(f"/interactions/{use['id']}/answer", form=FORM).succeeds()

    dialog = page.get_by_role("dialog", name="Why?")
    expect(dialog).to_contain_text("Asked by Deploy. What you enter goes to it, and your name.")
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

    expect(page.get_by_role("article").filter(has_text="waves")).to_be_visible()
    newest = ben.get("/messages", anchor="newest", num_before=1, apply_markdown=False)
    assert newest.succeeds()["messages"][-1]["content"] == "/me waves"
