"""Answers of bots that grow in the page."""

from concurrent.futures import ThreadPoolExecutor

from playwright.sync_api import expect
from tests.support.agents import AgentProgram
from tests.support.axe import violations
from tests.support.grants import access_token
from tests.support.waiting import eventually


def watches(user, kitchen):
    return user.goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch").page


def test_an_answer_grows_can_be_stopped_and_becomes_a_message(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    bot = page_chat.person("helper", bot="generic", owner=ben)
    ana.says("@**Helper** what is on?", to="kitchen > lunch")
    kitchen = page_chat.channel("kitchen").id
    page = watches(browse(ana), kitchen)
    fields = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": ana.id}

    token = bot.post("/answers", **fields, status_line="reading 3 files …").succeeds()[
        "answer_token"
    ]
    growing = page.locator("[data-answer]")
    expect(growing).to_contain_text("reading 3 files …")
    bot.patch(f"/answers/{token}", content="Soup is", status_line="").succeeds()
    expect(growing).to_contain_text("Soup is")
    growing.get_by_role("button", name="Stop").focus()
    bot.patch(f"/answers/{token}", content=" on").succeeds()
    expect(growing).to_contain_text("Soup is on")
    expect(growing.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press("Enter")

    expect(growing).to_contain_text("Stopped by you after")
    expect(growing).to_contain_text("This is not a whole answer.")
    assert bot.patch(f"/answers/{token}", content=" on").succeeds()["stopped"]
    bot.post(f"/answers/{token}/finish", content="Soup is **on**").succeeds()
    expect(growing).to_have_count(0)
    expect(page.get_by_role("article").filter(has_text="Soup is on")).to_be_visible()


def test_others_see_no_stop_button_and_the_text_from_before_they_came(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    bot = page_chat.person("helper", bot="generic", owner=ana)
    ana.says("@**Helper** what is on?", to="kitchen > lunch")
    kitchen = page_chat.channel("kitchen").id
    fields = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": ana.id}
    token = bot.post("/answers", **fields).succeeds()["answer_token"]
    bot.patch(f"/answers/{token}", content="Soup ").succeeds()
    page = watches(browse(ben), kitchen)

    bot.patch(f"/answers/{token}", content="is on").succeeds()

    growing = page.locator("[data-answer]")
    expect(growing).to_contain_text("Soup is on")
    expect(growing.get_by_role("button", name="Stop")).to_have_count(0)
    bot.delete(f"/answers/{token}").succeeds()
    expect(growing).to_have_count(0)


def asks(chat, browse):
    """Ana asks a bot of Ben and looks at the topic."""
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    bot = chat.person("helper", bot="generic", owner=ben)
    ana.says("@**Helper** what is on?", to="kitchen > lunch")
    page = watches(browse(ana), chat.channel("kitchen").id)
    fields = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": ana.id}
    token = bot.post("/answers", **fields).succeeds()["answer_token"]
    bot.patch(f"/answers/{token}", content="Soup is").succeeds()
    expect(page.locator("[data-answer]")).to_contain_text("Soup is")
    return bot, page, token


def test_escape_stops_an_answer_and_the_asking_user_lets_it_go_on(page_chat, browse):
    bot, page, token = asks(page_chat, browse)
    growing = page.locator("[data-answer]")
    box = page.get_by_role("textbox", name="Message to")

    box.fill("Half a sentence")
    page.keyboard.press("Escape")
    expect(growing.get_by_role("button", name="Stop")).to_be_visible()
    box.fill("")
    page.keyboard.press("Escape")

    expect(growing).to_contain_text("Stopped by you after")
    assert bot.patch(f"/answers/{token}", content="!").succeeds()["stopped"]
    growing.get_by_role("button", name="Go on").click()
    expect(box).to_have_value("@**Helper** Please go on.")
    expect(box).to_be_focused()


def test_a_finished_answer_says_how_long_it_took(page_chat, browse):
    bot, page, token = asks(page_chat, browse)
    spoken = page.get_by_role("status").filter(has_text="answer")
    expect(spoken).to_have_text("Helper is writing an answer.")

    bot.post(f"/answers/{token}/finish", content="Soup is **on**").succeeds()

    expect(page.locator(".answered")).to_contain_text("Answered in")
    expect(page.get_by_role("status").filter(has_text="Answered in")).to_be_attached()
    expect(page.get_by_role("article").filter(has_text="Soup is on")).to_be_visible()
    assert violations(page, "a finished answer") == []


def test_the_messages_to_which_an_answer_links_are_its_sources(page_chat, browse):
    ana, ben, cleo = page_chat.people("ana", "ben", "cleo", channels=["kitchen"])
    cleo.joins("vault", invite_only=True)
    bot = page_chat.person("helper", bot="generic", owner=ben)
    seen = ben.says("Soup at noon", to="kitchen > menu")
    hidden = cleo.says("Cake", to="vault > secret")
    kitchen, vault = (page_chat.channel(each).id for each in ("kitchen", "vault"))
    page = watches(browse(ana), kitchen)
    fields = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": ana.id}
    token = bot.post("/answers", **fields).succeeds()["answer_token"]
    links = (
        f"[1](#narrow/channel/{kitchen}-kitchen/topic/menu/near/{seen.id})"
        f" [2](#narrow/channel/{vault}-vault/topic/secret/near/{hidden.id})"
    )

    bot.post(f"/answers/{token}/finish", content=f"Soup at noon {links}").succeeds()
    answered = page.locator(".answered")
    answered.get_by_role("button", name="Show 1 source").focus()
    page.keyboard.press("Enter")

    expect(answered.get_by_role("button", name="Hide sources")).to_be_focused()
    expect(answered.get_by_role("listitem")).to_have_count(1)
    assert violations(page, "sources of an answer") == []
    answered.get_by_role("link", name="Ben, menu,").click()
    expect(page.get_by_role("heading", name="menu")).to_be_visible()
    expect(page.get_by_role("article").filter(has_text="Soup at noon")).to_be_visible()


def test_the_asking_user_and_the_owner_of_the_bot_can_delete_a_stopped_answer(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    bot = page_chat.person("helper", bot="generic", owner=ben)
    kitchen = page_chat.channel("kitchen").id
    pages = [watches(browse(each), kitchen) for each in (ana, ben)]
    fields = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": ana.id}
    token = bot.post("/answers", **fields).succeeds()["answer_token"]
    pages[0].get_by_role("button", name="Stop").click()
    expect(pages[1].locator("[data-answer]")).to_contain_text("Stopped.")

    bot.post(f"/answers/{token}/finish", content="Soup is").succeeds()

    asker, owner = (page.locator(".answered") for page in pages)
    expect(asker).to_contain_text("Stopped by you after")
    expect(asker.get_by_role("button")).to_have_text(["Go on", "Delete"])
    expect(owner.get_by_role("button")).to_have_text(["Delete"])
    asker.get_by_role("button", name="Delete").click()
    expect(asker).to_have_count(0)
    expect(pages[0].get_by_role("article").filter(has_text="Soup is")).to_have_count(0)
    pages[0].get_by_role("button", name="Close").last.click()
    expect(pages[1].get_by_role("article").filter(has_text="Soup is")).to_have_count(0)


def test_a_stopped_answer_is_deleted_from_its_menu(page_chat, browse):
    bot, page, token = asks(page_chat, browse)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-answer]")).to_contain_text("Stopped by you")
    message = bot.post(f"/answers/{token}/finish", content="Soup is").succeeds()["id"]
    answer = page.get_by_role("article").filter(has_text="Soup is")
    expect(page.locator("[data-answer]")).to_have_count(0)

    answer.focus()
    page.keyboard.press("i")
    page.get_by_role("menuitem", name="Delete").click()
    expect(answer).to_have_count(0)
    page.get_by_role("button", name="Close").last.click()

    eventually(lambda: bot.get(f"/messages/{message}").status == 400)


def test_a_message_of_the_bot_is_not_shown_beside_its_growing_text(page_chat, browse):
    bot, page, token = asks(page_chat, browse)
    growing = page.locator("[data-answer]")

    # As if the end of the answer came later than the message.
    bot.says("Soup is on", to="kitchen > lunch")

    expect(page.get_by_role("article").filter(has_text="Soup is on")).to_be_visible()
    expect(growing).to_have_count(0)
    bot.patch(f"/answers/{token}", content=" hot").succeeds()
    expect(growing).to_contain_text("Soup is hot")


def test_an_answer_that_broke_off_can_be_asked_for_again(page_chat, browse):
    _, page, _ = asks(page_chat, browse)
    page.evaluate("() => { const real = Date.now; Date.now = () => real() + 61_000; }")
    growing = page.locator("[data-answer]")

    growing.get_by_role("button", name="Ask again").click()

    expect(growing).to_contain_text("The answer broke off")
    box = page.get_by_role("textbox", name="Message to")
    expect(box).to_have_value("@**Helper** what is on?")


def test_a_message_of_an_agent_names_the_program(page_chat, browse):
    page_chat.set("enable_agent_access", True)
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    token = access_token(ana, {page_chat.channel("kitchen").id: True})
    ana.says("I wrote this", to="kitchen > lunch")
    headers = {"Host": page_chat.host, "Authorization": f"Bearer {token}"}
    agent = AgentProgram(f"http://127.0.0.1:{page_chat.server.port}/mcp", headers)
    fields = {"channel": "kitchen", "topic": "lunch"}
    with ThreadPoolExecutor(1) as thread:  # the browser's loop runs in this one
        thread.submit(agent.call, "send_message", **fields, text="Soup").result().succeeds()

    page = watches(browse(ben), page_chat.channel("kitchen").id)

    rows = page.get_by_role("article")
    expect(rows.filter(has_text="Soup")).to_contain_text("via Helper")
    expect(rows.filter(has_text="I wrote this")).not_to_contain_text("via")
