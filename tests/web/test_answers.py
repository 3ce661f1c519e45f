"""Answers of bots that grow in the page."""

from playwright.sync_api import expect


def watches(user, kitchen):
    return user.goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch").page


def test_an_answer_grows_can_be_stopped_and_becomes_a_message(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    bot = page_chat.person("helper", bot="generic", owner=ben)
    ana.says("@**Helper** what is on?", to="kitchen > lunch")
    kitchen = page_chat.channel("kitchen").id
    page = watches(browse(ana), kitchen)
    place = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": ana.id}

    token = bot.post("/answers", **place, status_line="reading 3 files …").succeeds()[
        "answer_token"
    ]
    growing = page.locator("[data-answer]")
    expect(growing).to_contain_text("reading 3 files …")
    bot.patch(f"/answers/{token}", content="Soup is", status_line="").succeeds()
    expect(growing).to_contain_text("Soup is")
    growing.get_by_role("button", name="Stop").click()

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
    place = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": ana.id}
    token = bot.post("/answers", **place).succeeds()["answer_token"]
    bot.patch(f"/answers/{token}", content="Soup ").succeeds()
    page = watches(browse(ben), kitchen)

    bot.patch(f"/answers/{token}", content="is on").succeeds()

    growing = page.locator("[data-answer]")
    expect(growing).to_contain_text("Soup is on")
    expect(growing.get_by_role("button", name="Stop")).to_have_count(0)
    bot.delete(f"/answers/{token}").succeeds()
    expect(growing).to_have_count(0)
