"""The sidebar: order, filter, menus of rows, sections, and what a message draws again."""

import re

from playwright.sync_api import expect
from tests.support.axe import violations
from tests.web.test_views import PHONE, topic

GUARD = """() => {
  window.added = [];
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes) if (node.nodeType === 1) window.added.push(node.textContent);
  }).observe(document.querySelector(".side nav"), { childList: true, subtree: true });
}"""


def names(rows):
    return [each.strip() for each in rows.locator(".t bdi").all_text_contents()]


def test_direct_messages_are_above_channels_with_unread_ones_first(page_chat, browse):
    ana, ben, cleo = page_chat.people("ana", "ben", "cleo", channels=["kitchen"])
    ben.says("Soup's on", to=[ana])
    cleo.says("Read this", to=[ana])
    at_anas = browse(ana).goes("#inbox")
    directs = at_anas.nav().locator(".sect").first

    expect(directs.locator("summary")).to_have_text("Direct messages")
    expect(directs.get_by_role("link")).to_have_count(2)
    assert names(directs) == ["Cleo", "Ben"]

    at_anas.goes(f"#narrow/dm/{cleo.id}-Cleo")
    expect(directs.get_by_role("link", name="Cleo")).not_to_have_accessible_name(
        re.compile("unread")
    )
    expect(directs.get_by_role("link").first).to_contain_text("Ben")


def test_the_name_of_a_row_begins_with_what_is_seen(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to=[ana])
    ben.says("Soup's on", to="kitchen > lunch")
    nav = browse(ana).goes("#inbox").nav()

    expect(nav.get_by_role("link", name=re.compile("^Ben 1 unread, "))).to_be_visible()
    expect(nav.get_by_role("link", name=re.compile("^kitchen 1 unread$"))).to_be_visible()


def test_a_guest_is_led_only_to_channels_that_a_guest_can_join(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen", "garden"])
    guest = page_chat.person("gus", role="guest", channels=["kitchen"])

    links = browse(ana).goes("#inbox").nav().get_by_role("link")
    expect(links.filter(has_text="channel")).to_have_count(1)
    links = browse(guest).goes("#inbox").nav().get_by_role("link")
    expect(links.filter(has_text="kitchen")).to_have_count(1)
    expect(links.filter(has_text="channel")).to_have_count(0)


def test_a_new_organization_offers_to_write_to_somebody_and_to_make_a_channel(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    user = browse(ana).goes("#inbox")
    page, nav = user.page, user.nav()

    nav.get_by_role("button", name="Write to somebody").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    nav.get_by_role("link", name="New channel").click()
    expect(page.get_by_role("dialog", name="New channel")).to_be_visible()
    page.keyboard.press("Escape")
    ben.says("Hello", to=[ana])
    ana.leaves("kitchen")

    expect(nav.get_by_role("link", name="Browse channels")).to_be_visible()
    expect(nav.get_by_role("link", name="New channel")).to_have_count(0)
    expect(nav.get_by_role("link", name="Ben")).to_be_visible()
    expect(nav.get_by_role("button", name="Write to somebody")).to_have_count(0)


def test_q_filters_people_channels_and_topics(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "garden"])
    ben.says("Soup's on", to="kitchen > bench")
    at_anas = browse(ana).goes("#inbox")
    page, nav = at_anas.page, at_anas.nav()

    page.keyboard.press("q")
    page.keyboard.type("BEN")

    expect(nav.get_by_role("link", name="Ben", exact=True)).to_be_visible()
    expect(nav.get_by_role("link", name="bench")).to_be_visible()
    expect(nav.get_by_role("link", name="kitchen")).to_have_count(0)
    expect(nav.get_by_role("link", name="Inbox")).to_have_count(0)
    expect(nav.get_by_role("link", name="Search messages for “BEN”")).to_be_visible()
    page.keyboard.type("zz")
    expect(nav.get_by_role("status")).to_have_text("No channel, person or topic is called “BENzz”.")
    page.keyboard.press("Escape")
    expect(nav.get_by_role("link", name="Inbox")).to_be_visible()
    page.keyboard.press("q")
    page.keyboard.type("gard")
    expect(nav.get_by_role("link", name="garden")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="garden")).to_be_visible()


def test_the_menu_of_a_row_opens_by_button_right_click_and_key(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes("#inbox")
    page, row = at_anas.page, at_anas.nav().get_by_role("link", name="kitchen")

    row.hover()
    at_anas.nav().get_by_role("button", name="More for kitchen").click()
    page.get_by_role("menuitem", name="Mark as read").click()
    expect(row).to_have_accessible_name("kitchen")

    row.click(button="right")
    page.get_by_role("menuitem", name="Pin to the top").click()
    expect(at_anas.nav().locator("summary", has_text="Pinned")).to_be_visible()

    row.focus()
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.get_by_role("menuitem", name="Mute channel").press("Enter")
    expect(row).to_contain_text("muted")


def test_the_menu_of_the_open_channel_names_its_keys_and_they_work(page_chat, browse):
    owner = page_chat.person("olga", role="owner", channels=["kitchen", "garden"])
    ben = page_chat.person("ben", channels=["kitchen", "garden"])
    owner.post("/channel_folders/create", name="The house", description="").succeeds()
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Bread?", to="kitchen > supper")
    at_olgas = browse(owner).goes(topic(page_chat, "kitchen", "lunch"))
    page, nav = at_olgas.page, at_olgas.nav()
    kitchen = nav.get_by_role("link", name="kitchen")

    nav.get_by_role("link", name="garden").click(button="right")
    expect(page.get_by_role("menuitem", name="Mark as read")).to_have_text("Mark as read")
    page.keyboard.press("Escape")
    kitchen.click(button="right")
    expect(page.get_by_role("menuitem", name="Mark as read").locator("kbd")).to_have_text(
        "Shift Esc"
    )
    expect(page.get_by_role("menuitem", name="New topic").locator("kbd")).to_have_text("C")
    folder = page.get_by_role("menuitem", name="Move to folder")
    expect(folder).to_have_attribute("aria-haspopup", "menu")
    folder.press("Enter")
    expect(page.get_by_role("menuitem", name="The house")).to_be_focused()
    page.keyboard.press("Escape")

    supper = nav.get_by_role("link", name="supper")
    expect(supper).to_have_accessible_name("supper 1 unread")
    at_olgas.message("Soup's on").focus()
    page.keyboard.press("Shift+Escape")
    expect(supper).to_have_accessible_name("supper")
    page.get_by_role("button", name="Undo").click()
    expect(supper).to_have_accessible_name("supper 1 unread")
    at_olgas.message("Soup's on").focus()
    page.keyboard.press("c")
    expect(page.get_by_role("textbox", name="Topic")).to_be_focused()


def test_the_menus_of_topics_and_people_act_on_them(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Hello", to=[ana])
    at_anas = browse(ana).goes(f"#topics/channel/{page_chat.channel('kitchen').id}-kitchen")
    page, nav = at_anas.page, at_anas.nav()

    nav.get_by_role("link", name="lunch").click(button="right")
    page.get_by_role("menuitem", name="Mute topic").click()
    expect(nav.locator(".topics .row.muted", has_text="lunch")).to_be_visible()
    nav.get_by_role("link", name="Ben").click(button="right")
    page.get_by_role("menuitem", name="Mark as read").click()
    expect(nav.get_by_role("link", name="Ben")).not_to_have_accessible_name(re.compile("unread"))
    nav.get_by_role("button", name="New topic").click()
    expect(page.get_by_role("textbox", name="Topic")).to_be_focused()


def test_a_closed_section_shows_its_unread_count_and_stays_closed(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("@**Ana** bread?", to="kitchen > lunch")
    at_anas = browse(ana).goes("#inbox")
    channels = at_anas.nav().locator(".sect", has_text="Channels")

    channels.locator("summary").click()

    expect(channels.locator("summary .n.call")).to_have_text("1 unread")
    expect(channels.locator("summary .n:not(.call)")).to_have_text("1 unread")
    expect(channels.get_by_role("link")).to_have_count(0)
    at_anas.page.reload()
    expect(channels.locator("summary .n.call")).to_have_text("1 unread")


def test_a_message_redraws_only_changed_rows(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "garden", "cellar"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    nav = at_anas.nav()
    nav.get_by_role("link", name="garden").focus()
    expect(nav.get_by_role("link", name="lunch")).to_be_visible()
    expect(nav.get_by_role("link", name="Inbox")).to_have_accessible_name("Inbox")
    at_anas.page.evaluate(GUARD)

    ben.says("Grass", to="garden > mowing")
    expect(nav.get_by_role("link", name="garden")).to_have_accessible_name("garden 1 unread")

    drawn = at_anas.page.evaluate("window.added")
    assert drawn == ["1", "1"]  # the badges of Inbox and garden
    ben.says("More grass", to="garden > mowing")
    expect(nav.get_by_role("link", name="garden")).to_have_accessible_name("garden 2 unread")
    assert at_anas.page.evaluate("window.added") == drawn  # only their text has changed
    expect(nav.get_by_role("link", name="garden")).to_be_focused()


def test_a_name_is_clipped_only_if_it_may_be_too_long(page_chat, browse):
    long = "everything about the kitchen and the cellar"
    ana = page_chat.person("ana", channels=["kitchen", long])
    nav = browse(ana).goes("#inbox").nav()

    def overflow(name):
        name = nav.get_by_role("link", name=name, exact=True).locator(".t")
        return name.evaluate("each => getComputedStyle(each).overflowX")

    assert overflow("kitchen") == overflow("Inbox") == "visible"
    assert overflow(long) == "hidden"


def test_a_message_changes_the_sum_of_a_closed_section(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    at_anas = browse(ana).goes("#inbox")
    channels = at_anas.nav().locator(".sect", has_text="Channels")
    channels.locator("summary").click()
    expect(channels.get_by_role("link")).to_have_count(0)

    ben.says("Soup's on", to="kitchen > lunch")

    expect(channels.locator("summary .n")).to_have_text("1 unread")
    expect(at_anas.nav().get_by_role("link", name="Inbox")).to_have_accessible_name(
        "Inbox 1 unread"
    )


def test_a_message_in_the_open_topic_leaves_the_header_alone(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    at_anas = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    page = at_anas.page
    expect(at_anas.nav().get_by_role("link", name="lunch")).to_be_visible()
    expect(page.locator(".head [data-do=people][aria-expanded]")).to_have_count(1)
    page.evaluate("window.before = [...document.querySelector('.head').children]")

    for number in range(3):
        ben.says(f"Bowl {number}", to="kitchen > lunch")
        expect(at_anas.message(f"Bowl {number}")).to_be_visible()

    assert page.evaluate("window.before.every((each) => each.isConnected)")


def test_on_a_phone_a_long_press_opens_the_menu_and_axe_finds_nothing(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Hello", to=[ana])
    at_anas = browse(ana, **PHONE).goes("#inbox")
    page = at_anas.page
    page.get_by_role("button", name="Open the sidebar").tap()
    row = at_anas.nav().get_by_role("link", name="kitchen")
    expect(row).to_be_visible()

    row.dispatch_event("contextmenu")
    expect(page.get_by_role("menuitem", name="Leave channel")).to_be_visible()
    found = violations(page, "menu", closely=True)
    page.keyboard.press("Escape")
    page.get_by_role("searchbox", name="Filter channels and people").fill("e")
    found += violations(page, "filter", closely=True)

    assert not found, "\n".join(found)
