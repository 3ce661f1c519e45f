"""Long messages, code and lists of reactions are shortened, and a button shows all."""

from playwright.sync_api import expect
from tests.support.axe import violations
from tests.web.test_views import topic

CODE = "```python\n" + "\n".join(f"line{each} = {each}" for each in range(60)) + "\n```"
TALL = "\n\n".join(f"Paragraph {each}" for each in range(60))


def height(locator):
    return locator.evaluate("element => element.offsetHeight")


def top(locator):
    return locator.evaluate("element => Math.round(element.getBoundingClientRect().top)")


def test_a_high_message_is_shortened_and_shown_without_a_jump(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    for each in range(20):
        ben.says(f"Before {each}", to="kitchen > lunch")
    ben.says(TALL, to="kitchen > lunch")
    for each in range(20):
        ben.says(f"After {each}", to="kitchen > lunch")
    ana.post("/mark_all_as_read").succeeds()
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page, tall = user.page, user.message("Paragraph 1")
    show = tall.get_by_role("button", name="Show all")

    assert height(tall) < 600
    tall.get_by_text("Paragraph 2", exact=True).evaluate("each => each.scrollIntoView()")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    show.focus()
    before = top(tall.get_by_text("Paragraph 5", exact=True))
    page.keyboard.press("Enter")

    less = tall.get_by_role("button", name="Show less")
    expect(less).to_be_focused()
    assert height(tall) > 1200
    assert abs(top(tall.get_by_text("Paragraph 5", exact=True)) - before) <= 1
    ben.says("A new one", to="kitchen > lunch")
    expect(user.message("A new one")).to_have_count(1)
    assert abs(top(tall.get_by_text("Paragraph 5", exact=True)) - before) <= 1

    less.evaluate("each => each.scrollIntoView({ block: 'center' })")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    before = top(less)
    less.click()
    expect(show).to_be_focused()
    assert height(tall) < 600
    assert abs(top(show) - before) <= 1


def test_a_message_at_the_end_grows_downwards(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    for each in range(20):
        ana.says(f"Before {each}", to="kitchen > lunch")
    ana.says(TALL, to="kitchen > lunch")
    ana.post("/mark_all_as_read").succeeds()
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    tall = user.message("Paragraph 1")
    before = top(tall)

    tall.get_by_role("button", name="Show all").click()

    expect(tall.get_by_role("button", name="Show less")).to_have_count(1)
    user.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert abs(top(tall) - before) <= 1


def test_the_focus_on_a_hidden_link_shows_all(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says(f"{TALL}\n\n[the recipe](https://example.com)", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    tall = user.message("Paragraph 1")
    assert height(tall) < 600

    tall.focus()
    while not tall.get_by_role("link", name="the recipe").evaluate("e => e.matches(':focus')"):
        user.page.keyboard.press("Tab")

    expect(tall.get_by_role("button", name="Show less")).to_be_visible()
    expect(tall.get_by_role("link", name="the recipe")).to_be_in_viewport()


def test_long_code_is_shortened_on_its_own(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    code = ben.says(f"Look\n{CODE}", to="kitchen > lunch")
    ben.says("```\n" + "\n".join("short" for _ in range(10)) + "\n```", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    message = user.message("Look")

    assert height(message) < 600
    message.get_by_role("button", name="Show all lines (60)").click()
    less = message.get_by_role("button", name="Show less")
    expect(less).to_be_focused()
    assert height(message.locator("pre")) > 60 * 20
    expect(message.get_by_role("button", name="Show all")).to_have_count(0)
    ben.post(f"/messages/{code.id}/reactions", emoji_name="tada").succeeds()
    expect(message.get_by_role("button", name="tada, 1")).to_be_visible()
    assert height(message.locator("pre")) > 60 * 20
    expect(less).to_be_focused()
    expect(user.message("short").locator(".expand")).to_have_count(0)


def test_more_than_thirty_reactions_are_shortened(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("Soup's on", to="kitchen > lunch")
    for name in EMOJI:
        ben.post(f"/messages/{soup.id}/reactions", emoji_name=name).succeeds()
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    reactions = user.message("Soup's on").locator(".re:not(.add)")

    expect(reactions).to_have_count(30)
    user.message("Soup's on").get_by_role("button", name="Show all reactions (33)").click()
    expect(reactions).to_have_count(33)
    found = violations(user.page, "reactions", closely=True)
    user.message("Soup's on").get_by_role("button", name="Show less").click()
    expect(reactions).to_have_count(30)

    assert not found, "\n".join(found)


FOOD = "apple banana cherries grapes lemon melon peach pear pizza taco burrito sushi cookie cake"
EMOJI = f"""tada heart smile +1 -1 cat dog fire eyes rocket sunny cloud star {FOOD} coffee tea beer
wine soccer tennis""".split()
