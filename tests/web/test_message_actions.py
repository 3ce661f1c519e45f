"""Acting in a real browser: with messages, topics, channels, and one's own settings."""

import re

from playwright.sync_api import expect
from tests.web.test_views import topic

from tertulia import actions
from tertulia.domain.messages.deleted import KeptSelection


def test_a_message_is_reacted_to_edited_and_deleted(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    here = f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    at_anas, at_bens = browse(ana).goes(here), browse(ben).goes(here)

    soup = at_bens.message("Soup's on")
    soup.hover()
    soup.get_by_role("button", name="React", exact=True).click()
    at_bens.page.get_by_role("searchbox", name="Search emoji").fill("tada")
    at_bens.page.get_by_role("button", name="tada").first.click()
    expect(at_anas.message("Soup's on").get_by_role("button", name="tada, 1")).to_be_visible()

    at_anas.message("Soup's on").hover()
    at_anas.message("Soup's on").get_by_role("button", name="More actions").click()
    at_anas.page.get_by_role("menuitem", name="Edit").click()
    at_anas.page.get_by_role("textbox", name="Edit the message").fill("Soup is off")
    at_anas.page.get_by_role("button", name="Save", exact=True).click()
    expect(at_bens.message("Soup is off")).to_contain_text("edited")

    at_anas.message("Soup is off").hover()
    at_anas.message("Soup is off").get_by_role("button", name="More actions").click()
    at_anas.page.get_by_role("menuitem", name="Delete").click()
    expect(at_anas.page.get_by_role("button", name="Undo")).to_be_visible()
    expect(at_bens.message("Soup is off")).to_have_count(0)


def test_the_menu_of_a_message_begins_with_answers_and_ends_with_changes(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )

    user.message("Soup's on").hover()
    user.message("Soup's on").get_by_role("button", name="More actions").click()

    items = user.page.get_by_role("menuitem")
    expect(items).to_have_count(14)  # the menu is loaded with its first use
    texts = items.evaluate_all("all => all.map(each => [...each.childNodes].at(1).textContent)")
    assert texts == [
        "Quote and reply",
        "Reply",
        "React",
        "Edit",
        "Forward…",
        "Star",
        "Unread from here",
        "Remind me…",
        "Copy link",
        "Copy text",
        "View the source",
        "Who has read it",
        "Move to another topic",
        "Delete",
    ]


def test_a_topic_is_followed_resolved_and_moved(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )
    page = user.page

    page.get_by_role("button", name="Following").click()
    expect(page.get_by_role("button", name="Follow", exact=True)).to_be_visible()
    page.get_by_role("button", name="Mark as resolved").click()
    expect(page.get_by_role("button", name="Mark as unresolved")).to_be_visible()
    user.message("Soup's on").hover()
    user.message("Soup's on").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Move").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Topic").fill("dinner")
    dialog.get_by_role("combobox", name="Messages to move").select_option(
        "All messages of the topic"
    )
    dialog.get_by_role("button", name="Move").click()

    expect(user.nav().get_by_role("link", name="dinner")).to_be_visible()


def test_a_topic_is_moved_to_a_channel_that_is_found_by_a_few_letters(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen", "garden", "cellar"])
    owner.says("Soup's on", to="kitchen > lunch")
    user = browse(owner).goes(topic(page_chat, "kitchen", "lunch"))
    user.message("Soup's on").focus()
    user.page.keyboard.press("m")
    dialog = user.page.get_by_role("dialog")
    channel = dialog.get_by_role("combobox", name="Channel")
    expect(channel).to_have_value("kitchen")

    channel.click()
    offers = dialog.get_by_role("listbox", name="Channel").get_by_role("option")
    expect(offers.filter(has_text="garden")).to_be_visible()
    expect(offers.filter(has_text="cellar")).to_be_visible()
    channel.fill("nowhere")
    dialog.get_by_role("button", name="Move").click()
    expect(dialog).to_be_visible()
    channel.fill("gar")
    expect(offers).to_have_text(["garden"])
    channel.press("Enter")
    dialog.get_by_role("button", name="Move").click()

    expect(dialog).to_have_count(0)
    found = owner.get("/messages", anchor="newest", num_before=9, num_after=0).succeeds()
    moved = [each for each in found["messages"] if "Soup" in each["content"]]
    assert [each["display_recipient"] for each in moved] == ["garden"]


def test_a_message_is_reported_and_its_channel_left(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.joins("office", invite_only=True)
    page_chat.set("moderation_request_channel_id", page_chat.channel("office").id)
    ben.says("Buy my soup", to="kitchen > lunch")
    queue = ben.listens_for("message")
    user = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )
    page, dialog = user.page, user.page.get_by_role("dialog")

    user.message("Buy my soup").hover()
    user.message("Buy my soup").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Report").click()
    dialog.get_by_role("combobox", name="What is wrong?").select_option("Something else")
    dialog.get_by_role("button", name="Report it").click()
    expect(dialog.locator(".toast")).to_be_visible()  # what else must be said
    dialog.get_by_role("textbox", name="In your words").fill("It was my soup")
    dialog.get_by_role("button", name="Report it").click()
    expect(page.get_by_text("The moderators have been told.")).to_be_visible()
    assert "> It was my soup" in queue.next()["message"]["content"]

    page.keyboard.press("x")
    dialog.get_by_role("combobox").fill("bot")
    expect(dialog.get_by_role("option")).to_have_count(0)  # users cannot write to a system bot
    page.keyboard.press("Escape")

    page.evaluate("location.hash = '#channels/all'")
    row = dialog.get_by_role("listitem").filter(has_text="kitchen")
    row.get_by_role("button", name="Leave").click()
    expect(row.get_by_role("button", name="Join")).to_be_focused()
    expect(user.nav().get_by_text("kitchen")).to_have_count(0)


def test_a_channel_is_made_and_a_setting_changed(page_chat, browse):
    owner = page_chat.person("ana", role="owner")
    page = browse(owner).goes("#channels/new").page

    page.get_by_role("textbox", name="Name").fill("garden")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="garden")).to_be_visible()

    page.evaluate("location.hash = '#settings/preferences'")
    page.get_by_role("checkbox", name="24-hour clock").check()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    state = owner.registers(fetch_event_types=["user_settings"])
    assert state["user_settings"]["twenty_four_hour_time"] is True
    page.evaluate("location.hash = '#organization/organization-profile'")
    page.get_by_role("textbox", name="Name").fill("The green house")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".org")).to_contain_text("The green house")


def test_a_bot_is_made_and_removed_in_the_settings(page_chat, browse):
    ana = page_chat.person("ana")
    page = browse(ana).goes("#settings/your-bots").page
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name", exact=True).fill("Kettle")
    dialog.get_by_role("textbox", name="Short name").fill("kettle")
    dialog.get_by_role("button", name="Add a bot").click()
    expect(dialog.get_by_text("Kettle", exact=True)).to_be_visible()

    dialog.get_by_role("button", name="Deactivate Kettle").click()

    expect(dialog.get_by_text("Kettle", exact=True)).to_have_count(0)
    assert ana.get("/bots").succeeds()["bots"] == []


def test_escape_keeps_an_edit(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )
    page, soup = user.page, user.message("Soup's on")
    soup.focus()
    page.keyboard.press("e")
    box = page.get_by_role("textbox", name="Edit")
    box.fill("Soup's on fire")

    box.press("Escape")

    expect(soup).to_contain_text("Edit not saved.")
    page.get_by_role("button", name="Go on editing").click()
    expect(box).to_have_value("Soup's on fire")
    box.press("Escape")
    page.get_by_role("button", name="Discard the edit").click()
    expect(soup).not_to_contain_text("Edit not saved.")
    soup.focus()
    page.keyboard.press("e")
    expect(box).to_have_value("Soup's on")


def test_the_reason_replaces_the_compose_box_without_permission_to_write(page_chat, browse):
    owner = page_chat.person("olga", role="owner", channels=["kitchen", "news"])
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen", "news"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Only for you", to=[ana])
    kitchen, news = page_chat.channel("kitchen").id, page_chat.channel("news").id
    user = browse(ana).goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch")
    box = user.page.get_by_role("textbox", name="Message to")
    expect(box).to_be_visible()

    only_owners = {"new": page_chat.group("owners")}
    owner.patch(f"/streams/{kitchen}", can_send_message_group=only_owners).succeeds()
    expect(user.page.get_by_role("note").locator("span")).to_have_text(
        "You may not write in kitchen. You can react to messages."
    )
    expect(box).to_have_count(0)

    user.goes(f"#narrow/channel/{news}-news/topic/today")
    expect(box).to_be_visible()
    resolve = user.page.get_by_role("button", name="Mark as resolved")
    expect(resolve).to_be_visible()
    owner.delete(f"/streams/{news}").succeeds()
    expect(user.page.get_by_role("note")).to_contain_text("This channel is archived.")
    expect(resolve).to_have_count(0)

    user.goes(f"#narrow/dm/{ben.id}-Ben")
    expect(box).to_be_visible()
    owner.delete(f"/users/{ben.id}").succeeds()
    expect(user.page.get_by_role("note")).to_contain_text("Ben has left")


def test_where_a_group_writes_others_can_answer_the_author_directly(page_chat, browse):
    owner = page_chat.person("olga", role="owner", channels=["news"])
    ana, ben = page_chat.people("ana", "ben", channels=["news"])
    news = page_chat.channel("news").id
    owner.post("/user_groups/create", name="board", description="", members=[ben.id]).succeeds()
    board = next(
        each["id"]
        for each in owner.get("/user_groups").succeeds()["user_groups"]
        if each["name"] == "board"
    )
    owner.patch(f"/streams/{news}", can_send_message_group={"new": board}).succeeds()
    ben.says("We open on Friday", to="news > today")

    user = browse(ana).goes(f"#narrow/channel/{news}-news/topic/today")

    line = user.page.get_by_role("note")
    expect(line).to_contain_text(
        "Only members of board may write in news. You can react to messages."
    )
    line.get_by_role("button", name="Reply to Ben directly").press("Enter")
    box = user.page.get_by_role("textbox", name="Message to Ben")
    expect(box).to_be_focused()


def test_a_guest_reads_why_the_compose_box_is_missing(page_chat, browse):
    owner = page_chat.person("olga", role="owner", channels=["kitchen"])
    guest = page_chat.person("gus", role="guest", channels=["kitchen"])
    kitchen = page_chat.channel("kitchen").id
    members = {"new": page_chat.group("members")}
    owner.patch(f"/streams/{kitchen}", can_send_message_group=members).succeeds()

    user = browse(guest).goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch")

    expect(user.page.get_by_role("note")).to_contain_text("You may not write in kitchen.")
    expect(user.page.get_by_role("textbox", name="Message to")).to_have_count(0)


def test_a_channel_that_a_guest_may_not_see_is_explained(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    guest = page_chat.person("gus", role="guest", channels=["news"])
    kitchen = page_chat.channel("kitchen").id

    user = browse(guest).goes(f"#narrow/channel/{kitchen}-kitchen/topic/lunch")

    main = user.page.get_by_role("main")
    expect(main.get_by_role("heading", name="No such channel")).to_be_visible()
    expect(main).to_contain_text("It may have been deleted, or it is not for you to see.")
    expect(main).not_to_contain_text("narrow")
    expect(user.page.get_by_role("textbox", name="Message to")).to_have_count(0)
    ana.post(
        "/users/me/subscriptions", subscriptions=[{"name": "kitchen"}], principals=[guest.id]
    ).succeeds()
    expect(user.message("Soup's on")).to_be_visible()
    expect(user.page.get_by_role("textbox", name="Message to")).to_be_visible()


def test_an_empty_archived_topic_does_not_invite_to_write(page_chat, browse):
    owner = page_chat.person("olga", role="owner", channels=["news"])
    news = page_chat.channel("news").id
    owner.delete(f"/streams/{news}").succeeds()

    user = browse(owner).goes(f"#narrow/channel/{news}-news/topic/today")

    expect(user.page.get_by_role("note")).to_contain_text("This channel is archived.")
    title = user.page.get_by_role("main").get_by_role("heading", level=2)
    expect(title).to_have_text("Nobody has said anything here yet")


def test_a_message_to_a_person_who_has_left_meanwhile_is_refused_in_plain_words(page_chat, browse):
    owner = page_chat.person("olga", role="owner")
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    user = browse(ana)
    user.page.route(
        "**/json/events?*", lambda route: route.abort()
    )  # the page does not learn of it
    user.goes(f"#narrow/dm/{ben.id}-Ben")
    box = user.page.get_by_role("textbox", name="Message to")
    box.fill("Are you there?")
    owner.delete(f"/users/{ben.id}").succeeds()
    box.press("Control+Enter")

    failed = user.page.locator(".waiting .failed")
    expect(failed).to_contain_text("A recipient's account is deactivated.")
    expect(failed).not_to_contain_text("@")


def test_a_channel_opens_in_the_view_of_the_setting(page_chat, browse):
    ana = page_chat.person("ana", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    user = browse(ana).goes("#settings/preferences")
    choice = user.page.get_by_role("combobox", name="A channel opens with")
    expect(choice.locator("option")).to_have_text(["its messages", "its topics"])
    expect(choice).to_have_value("3")

    choice.select_option("its messages")
    user.page.keyboard.press("Escape")
    link = user.nav().get_by_role("link", name="kitchen")
    expect(link).to_have_attribute("href", re.compile("#narrow/"))
    link.click()

    expect(user.message("Soup's on")).to_be_visible()
    user.page.evaluate("location.hash = '#settings/preferences'")
    choice.select_option("its topics")
    user.page.keyboard.press("Escape")
    expect(link).to_have_attribute("href", re.compile("#topics/"))
    link.click()
    expect(user.page.locator(".main").get_by_role("link", name="lunch")).to_be_visible()
    expect(user.feed).to_have_count(0)


def test_deleting_a_topic_says_how_many_messages_go_and_since_when(page_chat, browse):
    owner, ana = page_chat.person("owner", role="owner"), page_chat.person("ana")
    for person in (owner, ana):
        person.joins("kitchen")
    for text in ("one", "two"):
        ana.says(text, to="kitchen > lunch")
    here = f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    at_owners = browse(owner).goes(here)

    at_owners.page.get_by_role("button", name="More", exact=True).click()
    at_owners.page.get_by_role("menuitem", name="Delete this topic").click()

    dialog = at_owners.page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 messages in “lunch”, sent from ")
    dialog.get_by_role("button", name="Cancel").click()
    expect(at_owners.message("one")).to_be_visible()


def test_a_restored_message_is_shown_in_its_old_place(page_chat, browse):
    ana = page_chat.person("ana", role="owner", channels=["kitchen"])
    ana.patch("/realm", deleted_message_grace_days=3).succeeds()
    sent = [ana.says(text, to="kitchen > lunch") for text in ("one", "two", "three")]
    at_anas = browse(ana).goes(
        f"#narrow/channel/{page_chat.channel('kitchen').id}-kitchen/topic/lunch"
    )
    expect(at_anas.message("two")).to_be_visible()
    ana.delete(f"/messages/{sent[1].id}").succeeds()
    expect(at_anas.message("two")).to_have_count(0)

    page_chat.write(actions.messages.restoration.restore_batch, KeptSelection())

    expect(at_anas.message("two")).to_be_visible()
    texts = at_anas.feed.get_by_text(re.compile("^(one|two|three)$")).all_inner_texts()
    assert texts == ["one", "two", "three"]


def test_arrow_up_in_the_empty_box_edits_the_last_own_message(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ana.says("Soup's on", to="kitchen > lunch")
    ben.says("Coming", to="kitchen > lunch")
    page = browse(ana).goes(topic(page_chat, "kitchen", "lunch")).page
    box = page.get_by_role("textbox", name="Message to")

    box.click()
    expect(page.get_by_title("Send to another place")).to_be_visible()
    box.press_sequentially("a")
    box.press("ArrowUp")
    expect(page.get_by_role("textbox", name="Edit the message")).to_have_count(0)
    box.press("Home")
    box.press("Delete")
    box.press("ArrowUp")

    expect(page.get_by_role("textbox", name="Edit the message")).to_have_value("Soup's on")


def test_keys_act_on_the_message_under_the_pointer(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    for words in ("One", "Two", "Three"):
        ben.says(words, to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    keys = user.page.keyboard

    keys.press("End")
    user.message("One").hover()
    keys.press("+")
    expect(user.message("One").get_by_role("button", name="+1, 1")).to_be_visible()
    keys.press("k")
    keys.press("Control+s")

    expect(user.message("Two").get_by_role("button", name="Remove the star")).to_have_count(1)


def test_the_emoji_that_one_uses_most_are_among_the_tools_of_a_message(page_chat, browse):
    ana, ben = page_chat.people("ana", "ben", channels=["kitchen"])
    ben.says("Soup's on", to="kitchen > lunch")
    ben.says("Come and eat", to="kitchen > lunch")
    user = browse(ana).goes(topic(page_chat, "kitchen", "lunch"))
    soup, later = user.message("Soup's on"), user.message("Come and eat")

    soup.hover()
    soup.get_by_role("button", name="React", exact=True).click()
    user.page.get_by_role("searchbox", name="Search emoji").fill("tada")
    user.page.get_by_role("button", name="tada").first.click()
    expect(soup.get_by_role("button", name="tada, 1")).to_be_visible()
    later.hover()
    quick = later.get_by_role("toolbar").get_by_role("button", name="tada")
    assert quick.evaluate("each => getComputedStyle(each, '::before').content") == "none"
    quick.click()

    expect(later.get_by_role("button", name="tada, 1")).to_be_visible()
    expect(soup.get_by_role("toolbar").get_by_role("button", name="tada")).to_have_count(0)
