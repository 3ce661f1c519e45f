"""The page in a real browser: messages appear at once for all recipients."""

from playwright.sync_api import expect


def test_two_users_see_each_others_messages_at_once(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    here = f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    at_anas, at_bens = browse(ana).goes(here), browse(ben).goes(here)

    at_anas.page.get_by_role("textbox", name="Message to").fill("Bring bread")
    at_anas.page.get_by_role("button", name="Send", exact=True).click()

    expect(at_bens.message("Bring bread")).to_be_visible()
    expect(at_anas.message("Bring bread")).to_be_visible()


# What the browser has to put together by itself in a row: parts with a mask or a clip.
PARTS = """(row) => {
  const styles = [...row.querySelectorAll("*")].flatMap((element) => {
    const before = getComputedStyle(element, "::before");
    return [getComputedStyle(element), ...(before.content === "none" ? [] : [before])];
  });
  const isPart = (style) => style.maskImage !== "none" || style.overflowX !== "visible";
  return styles.filter(isPart).length;
}"""


def test_only_the_row_under_the_pointer_has_the_icons_of_its_tools(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen")
    row = at_anas.message("Soup's on")
    at_anas.page.get_by_role("heading", name="kitchen").hover()

    assert row.evaluate(PARTS) == 0

    row.hover()
    assert row.evaluate(PARTS) == 4


def test_the_page_has_the_names_that_assistive_technology_relies_on(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")

    page = browse(ana).goes(f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen").page

    row = page.get_by_role("feed", name="Messages").get_by_role("article").first
    row.hover()
    tools = row.get_by_role("toolbar", name="Message actions")
    for name in ("React", "Quote and reply", "Star", "More actions"):
        expect(tools.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(
        page.get_by_role("navigation", name="Views, channels and direct messages")
    ).to_be_visible()
    expect(page.get_by_role("main")).to_be_visible()
    expect(page.get_by_role("button", name="Search or go to")).to_have_count(1)
    expect(page.get_by_role("status")).to_have_text("Connected")
    expect(page.get_by_role("textbox", name="Message to kitchen")).to_be_visible()
    expect(page.get_by_role("textbox", name="Topic")).to_be_visible()
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()


def test_anonymous_visitors_are_redirected_to_the_login_page(page_chat, browse):
    stranger = browse(None)

    stranger.page.goto(f"http://{page_chat.realm.subdomain}.localhost:{page_chat.server.port}/")

    assert stranger.page.url.endswith("/login/")


def test_a_renamed_topic_says_once_that_it_was_moved(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    first = ana.says("Soup", to="kitchen > lunch")
    for words in ("Bread", "Cake"):
        ana.says(words, to="kitchen > lunch")
    ana.patch(f"/messages/{first.id}", topic="dinner", propagate_mode="change_all").succeeds()

    user = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/dinner"
    )

    expect(user.message("Cake")).to_be_visible()
    expect(user.page.get_by_role("button", name="moved")).to_have_count(1)
    expect(user.message("Soup").get_by_role("button", name="moved")).to_have_count(1)


def test_a_heading_in_a_message_is_smaller_than_the_title_of_the_view(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("# Soup", to="kitchen > lunch")
    user = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )

    size = "heading => parseFloat(getComputedStyle(heading).fontSize)"
    shown = user.message("Soup").get_by_role("heading", name="Soup").evaluate(size)
    assert shown < user.page.locator("#title").evaluate(size)
