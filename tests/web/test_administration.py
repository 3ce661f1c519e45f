"""Administration in the page: every setting, people, channels."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.browser import Browser
from tests.support.files import uploads
from tests.support.people import Chat, Person
from tests.support.second_factors import SESAME, secured
from tests.support.waiting import eventually

from tertulia.domain.organization.settings import SETTINGS
from tertulia.domain.personal.settings import PREFERENCES

PUSH = {
    "push_service_url": "https://push.example.com",
    "push_service_id": "11111111-2222-3333-4444-555555555555",
    "push_service_key": "lentils",
}
SECTIONS = (
    "organization-profile",
    "organization-settings",
    "organization-permissions",
    "auth-methods",
)
TEXTS = {
    "name": "Cine Linterna",
    "default_code_block_language": "python",
    "jitsi_server_url": "https://calls.example.com",
}


@pytest.fixture
def generous(start_server):
    """An organization on a server that leaves every decision to it."""
    server = start_server(web_public_streams_enabled=True, **PUSH)
    server.stop()
    server.settings |= {
        "smtp_host": "127.0.0.1",
        "external_url": f"http://chat.localhost:{server.port}",
    }
    return Chat.found(server.start(), "")


SECOND_FACTOR_COLUMN = 4


@pytest.fixture
def owner(page_chat):
    return page_chat.person("ana", role="owner", channels=["kitchen"])


def row(page, name):
    return page.locator(f"[data-setting={name}]")


def settings(person):
    return {each["name"]: each for each in person.get("/realm/settings").succeeds()["settings"]}


def gives(field, name):
    """Give a permission to a group or person."""
    field.get_by_role("combobox").fill(name)
    field.get_by_role("option", name=name).first.click()


def changed_in_page(page, setting, chat, owner):
    """Change a setting in the page. Returns the value that the API must give now."""
    name, kind, value = setting["name"], setting["kind"], setting["value"]
    here = row(page, name)
    if kind == "switch":
        here.get_by_role("switch").click()
        return not value
    if kind == "login_methods":
        here.get_by_role("checkbox", name="JWT").click()
        return value | {"JWT": False}
    if kind == "limit":
        here.get_by_role("combobox").select_option("other")
        here.get_by_role("spinbutton").fill("1234")
        here.get_by_role("spinbutton").blur()
        return 1234 if setting["unit"] == "days" else 1234 * 60
    if kind == "number" and name != "org_type":
        here.get_by_role("spinbutton").fill("17")
        here.get_by_role("spinbutton").blur()
        return 17
    if kind in ("text", "url"):
        here.get_by_role("textbox").fill(TEXTS.get(name, "We cook together."))
        return TEXTS.get(name, "We cook together.")
    if kind == "permission" and here.locator(".permission").count():
        name = "Owners" if value != chat.group("owners") else "Moderators"
        gives(here, name)
        gives(here, "Ana")
        return {"direct_members": [owner.id], "direct_subgroups": [chat.group(name.lower())]}
    choices = {"channel": [chat.channel("kitchen").id], "number": [90]}.get(
        kind, setting["choices"]
    )
    other = next(each for each in choices if each != value)
    if kind == "channel":
        here.get_by_role("combobox").fill("kit")
        here.get_by_role("option", name="kitchen").click()
    else:
        here.get_by_role("combobox").select_option(str(other))
    return other


def test_an_invitation_names_channels_from_a_searchable_list(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen", "garden"])
    page = browse(owner).goes("#organization/invitations").page
    field = page.get_by_role("combobox", name="And in these channels")
    chosen = page.get_by_role("list", name="And in these channels")

    for typed, name in (("gar", "garden"), ("kit", "kitchen")):
        field.fill(typed)
        page.get_by_role("option", name=name).click()
        expect(field).to_have_value("")
    expect(chosen.get_by_role("listitem")).to_have_text(["garden", "kitchen"])
    field.fill("gar")
    expect(page.get_by_role("option", name="garden")).to_have_count(0)  # it is chosen
    chosen.get_by_role("button", name="Remove garden").click()
    expect(field).to_be_focused()
    with page.expect_request(re.compile("/invites/multiuse")) as request:
        page.get_by_role("button", name="Make a link").click()

    assert f"stream_ids=%5B{page_chat.channel('kitchen').id}%5D" in (request.value.post_data or "")


def test_leaving_an_open_list_of_channels_changes_nothing(page_chat, owner, browse):
    owner.patch("/realm", new_stream_announcements_stream_id=page_chat.channel("kitchen").id)
    page = browse(owner).goes("#organization/organization-settings").page
    here = row(page, "new_stream_announcements_stream_id")
    field = here.get_by_role("combobox")
    expect(field).to_have_value("kitchen")

    field.click()
    expect(here.get_by_role("option", selected=True)).to_have_text("kitchen")
    expect(here.get_by_role("option", name="None")).to_be_visible()
    field.press("Tab")

    expect(here.get_by_role("option")).to_have_count(0)
    expect(field).to_have_value("kitchen")
    expect(here.locator(".changed")).to_be_hidden()


def test_every_setting_is_changed_in_the_page_and_read_back_by_the_api(generous, browse):
    """A new setting fails here until it has a place, a label and help in the page."""
    owner = generous.person("ana", role="owner", channels=["kitchen"])
    page = browse(owner, generous).goes("#organization").page
    before, expected, found = settings(owner), {}, set()

    for section in SECTIONS:
        page.locator(f"nav [data-page={section}]").click()
        expect(page.locator(f".pane[data-section={section}] .set-row").first).to_be_visible()
        for other_clients in page.locator(".pane summary").all():
            other_clients.click()
        rows = page.locator(".set-row").all()
        names = [each.get_attribute("data-setting") for each in rows]
        if "visitors" in names:  # two settings are one choice
            names.remove("visitors")
            row(page, "visitors").get_by_role("combobox").select_option("Everybody, in the chat")
            expected["enable_spectator_access"] = True
            expected["enable_public_pages"] = False
            found |= {"enable_spectator_access", "enable_public_pages"}
        found |= {*names}
        for name in names:
            expected[name] = changed_in_page(page, before[name], generous, owner)
        foot = page.locator("dialog.broad > footer")
        count = len(names) + (2 if section == "organization-settings" else 0)
        expect(foot).to_contain_text(f"{count} changes: ")
        foot.get_by_role("button", name="Save").click()
        if "message_retention_days" in names:
            page.get_by_role("button", name="Save and delete").click()
        expect(foot).to_be_hidden()

    assert found == SETTINGS.keys()
    assert {name: each["value"] for name, each in settings(owner).items()} == expected
    registered = owner.post("/register", fetch_event_types=["realm"]).succeeds()
    for name, value in expected.items():
        for known, wire in SETTINGS[name].wire_fields(value).items():
            shown = "jitsi_server_url" if name == "jitsi_server_url" else f"realm_{known}"
            assert registered[shown] == wire, name


def test_personal_settings_have_the_order_of_their_table(page_chat, owner, browse):
    page = browse(owner).goes("#organization/organization-level-user-defaults").page
    expect(row(page, "enter_sends")).to_be_visible()
    rows = page.locator(".set-row").all()
    listed = [each.get_attribute("data-setting") for each in rows]
    assert listed == names_in_page("preferences", "notifications", "account-and-privacy")

    for tab in ("account-and-privacy", "preferences", "notifications"):
        page = browse(owner).goes(f"#settings/{tab}").page
        names = names_in_page(tab)
        expect(page.locator(f"[name={names[0]}]")).to_be_visible()
        fields = page.locator("section.fields [name]").all()
        shown = [each.get_attribute("name") for each in fields]
        assert [name for name in shown if name in PREFERENCES] == names


def names_in_page(*tabs):
    """Names of personal settings in the order of their table."""
    shown = ((name, each.heading) for name, each in PREFERENCES.items())
    return [name for name, heading in shown if heading and heading.section in tabs]


def test_a_default_is_named_where_the_organization_has_another_value(page_chat, owner, browse):
    owner.patch("/realm", allow_message_editing=False).succeeds()

    page = browse(owner).goes("#organization/organization-settings").page

    expect(row(page, "allow_message_editing")).to_contain_text("Default: On")
    expect(row(page, "inline_image_preview")).not_to_contain_text("Default")
    expect(row(page, "gif_rating_policy")).to_be_hidden()
    page.get_by_text("Only for other apps").click()
    expect(row(page, "gif_rating_policy")).to_be_visible()


def test_lists_of_the_organization_are_extended_and_shortened(page_chat, owner, browse):
    """Each section has a button for something new, and a row with what can be done with it."""
    page = browse(owner).goes("#organization/linkifier-settings").page
    expect(page.get_by_text("No linkifier yet.")).to_be_visible()
    for pattern in ("#(?P<id>[0-9]+)", "T(?P<id>[0-9]+)"):
        page.get_by_role("button", name="Add a linkifier").click()
        asking = page.get_by_role("dialog", name="Add a linkifier")
        asking.get_by_label("Pattern").fill(pattern)
        asking.get_by_label("Address").fill("https://example.com/{id}")
        asking.get_by_role("button", name="Add", exact=True).click()
        expect(asking).to_have_count(0)
    rows = page.get_by_role("table", name="Linkifiers").locator("tbody tr")
    chooses(page, "T(?P<id>[0-9]+)", "Move up")
    expect(rows.first).to_contain_text("T(")
    chooses(page, "#(?P<id>[0-9]+)", "Remove")
    expect(rows).to_have_count(1)

    page.locator("nav [data-page=default-channels-list]").click()
    page.get_by_role("button", name="Add a channel").click()
    asking = page.get_by_role("dialog", name="Add a channel")
    asking.get_by_role("combobox").fill("kit")
    page.get_by_role("option", name="kitchen").click()
    asking.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Remove kitchen").click()
    expect(page.get_by_role("button", name="Remove kitchen")).to_have_count(0)

    page.locator("nav [data-page=channel-folders]").click()
    page.get_by_role("button", name="Add a folder").click()
    asking = page.get_by_role("dialog", name="Add a folder")
    asking.get_by_label("Name of the folder").fill("The house")
    asking.get_by_role("button", name="Add", exact=True).click()
    chooses(page, "The house", "Edit")
    asking = page.get_by_role("dialog", name="The house")
    asking.get_by_label("Name of the folder").fill("")
    asking.get_by_role("button", name="Save").click()
    expect(asking.get_by_role("alert")).not_to_be_empty()  # it stays open


def test_changes_are_named_before_they_are_saved_and_can_be_discarded(page_chat, owner, browse):
    page = browse(owner).goes("#organization/organization-settings").page
    editing = row(page, "allow_message_editing")

    editing.get_by_role("switch").click()
    row(page, "digest_weekday").scroll_into_view_if_needed()
    row(page, "message_edit_history_visibility_policy").get_by_role("combobox").select_option(
        "none"
    )

    foot = page.locator("dialog.broad > footer")
    expect(foot).to_contain_text("2 changes: Editing messages and Earlier versions of a message")
    expect(editing).to_contain_text("Changed, not saved")
    foot.get_by_role("button", name="Discard").click()
    expect(foot).to_be_hidden()
    expect(editing.get_by_role("switch")).to_be_checked()
    assert settings(owner)["allow_message_editing"]["value"] is True


def test_unsaved_changes_are_not_lost_by_closing(page_chat, owner, browse):
    page = browse(owner).goes("#organization/organization-settings").page
    row(page, "allow_message_editing").get_by_role("switch").click()

    page.keyboard.press("Escape")

    requested = page.get_by_role("dialog", name="Close without saving?")
    expect(requested).to_contain_text("Editing messages")
    requested.get_by_role("button", name="Cancel").click()
    page.locator("dialog.broad > footer").get_by_role("button", name="Save").click()
    expect(page.locator("dialog.broad > footer")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert settings(owner)["allow_message_editing"]["value"] is False


def test_a_refused_change_is_explained_and_stays(page_chat, owner, browse):
    page = browse(owner).goes("#organization/organization-profile").page

    row(page, "name").get_by_role("textbox").fill("   ")
    page.locator("dialog.broad > footer").get_by_role("button", name="Save").click()

    expect(page.locator("dialog.broad > footer").get_by_role("alert")).not_to_be_empty()
    expect(page.locator("dialog.broad > footer")).to_contain_text("1 change: Name")


def test_settings_are_found_by_label_and_help(page_chat, owner, browse):
    page = browse(owner).goes("#organization/organization-profile").page

    page.get_by_role("searchbox", name="Find a setting").fill("how long people")

    expect(page.get_by_role("status").filter(has_text="found")).to_have_text("2 settings found")
    expect(row(page, "message_content_edit_limit_seconds")).to_be_visible()
    page.get_by_role("searchbox", name="Find a setting").fill("zzz")
    expect(page.get_by_text("No setting has these words.")).to_be_visible()
    page.get_by_role("searchbox", name="Find a setting").fill("")
    expect(row(page, "description")).to_be_visible()


def test_what_the_server_fixes_is_shown_with_its_setting(page_chat, owner, browse):
    page = browse(owner).goes("#organization/organization-settings").page

    digest = row(page, "digest_emails_enabled")

    expect(digest.get_by_role("switch")).to_be_disabled()
    expect(digest).to_contain_text("Fixed by the server: an operator sets it with smtp_host")
    page.get_by_role("button", name="Log-in").click()
    methods = row(page, "authentication_methods")
    expect(methods.get_by_role("checkbox", name="LDAP")).to_be_disabled()
    expect(methods).to_contain_text("It needs [[ldap]]")


def test_others_learn_who_may_change_a_setting(page_chat, owner, browse):
    admin, member = page_chat.person("admin", role="admin"), page_chat.person("ben")

    page = browse(admin).goes("#organization/auth-methods").page
    expect(row(page, "invite_required")).to_contain_text("Owners can change this.")
    page = browse(member).goes("#organization/organization-settings").page
    editing = row(page, "allow_message_editing")
    expect(editing).to_contain_text("Administrators can change this.")
    expect(editing.get_by_role("switch")).to_be_disabled()


def test_a_retention_says_how_many_messages_it_deletes(page_chat, owner, browse):
    owner.says("Soup's on", to="kitchen > lunch")
    page_chat.write(lambda tx: tx.execute("UPDATE message SET sent_at = 1 WHERE realm_id = :realm"))
    page = browse(owner).goes("#organization/organization-settings").page
    retention = row(page, "message_retention_days")

    retention.get_by_role("combobox").select_option("30")

    expect(retention).to_contain_text(re.compile(r"It would delete \d+ messages? now, for good."))
    page.locator("dialog.broad > footer").get_by_role("button", name="Save").click()
    requested = page.get_by_role("dialog", name="Delete old messages?")
    expect(requested).to_contain_text("It would delete")
    requested.get_by_role("button", name="Cancel").click()
    assert settings(owner)["message_retention_days"]["value"] is None


def test_settings_are_changed_with_the_keyboard_alone(page_chat, owner, browse):
    page = browse(owner).goes("#organization/organization-settings").page
    expect(page.locator("nav [data-page=organization-settings]")).to_be_focused()
    switch = row(page, "allow_message_editing").get_by_role("switch")
    while not switch.evaluate("each => each === document.activeElement"):
        page.keyboard.press("Tab")

    page.keyboard.press("Space")
    save = page.locator("dialog.broad > footer").get_by_role("button", name="Save")
    page.keyboard.press("Shift+Tab")
    while not save.evaluate("each => each === document.activeElement"):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")

    expect(page.locator("dialog.broad > footer")).to_be_hidden()
    assert settings(owner)["allow_message_editing"]["value"] is False


def test_people_are_found_sorted_and_given_roles_together(page_chat, owner, browse):
    ben, cleo = page_chat.person("ben"), page_chat.person("cleo")
    page = browse(owner).goes("#organization/users").page
    rows = page.locator("table.tab tbody tr")
    expect(rows).to_have_count(3)

    page.get_by_role("button", name="Person").click()
    expect(rows.first).to_contain_text("Cleo")
    for name in ("Ben", "Cleo"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    page.get_by_role("combobox", name="New role").select_option("Moderator")
    page.get_by_role("button", name="Change the role").click()
    page.get_by_role("dialog", name="Change the role").get_by_role(
        "button", name="Change the role"
    ).click()

    expect(rows.filter(has_text="Moderator")).to_have_count(2)
    roles = [owner.get(f"/users/{each.id}").succeeds()["user"]["role"] for each in (ben, cleo)]
    assert roles == [300, 300]
    page.get_by_role("searchbox", name="Name or address").fill("cle")
    expect(rows).to_have_count(1)
    found = violations(page, "people", inside="dialog[open]", closely=True)
    assert not found, "\n".join(found)


def test_a_person_is_deactivated_reactivated_and_erased(page_chat, owner, browse):
    ben = page_chat.person("ben", channels=["kitchen"])
    soup, salad = (ben.says(text, to="kitchen > lunch") for text in ("Soup", "Salad"))
    page = browse(owner).goes("#organization/users").page

    page.get_by_role("combobox", name="Active or deactivated").select_option("all")
    chooses(page, "Ben", "Deactivate…")
    requested = page.get_by_role("dialog", name="Deactivate…")
    expect(requested).to_contain_text("Ben is logged out everywhere")
    requested.get_by_role("button", name="Deactivate…").click()
    expect(page.locator(f"[data-account='{ben.id}']")).to_contain_text("Deactivated (Member)")
    chooses(page, "Ben", "Reactivate")
    expect(page.locator(f"[data-account='{ben.id}']")).not_to_contain_text("Deactivated")
    chooses(page, "Ben", "Erase for good…")
    erasing = page.get_by_role("dialog", name="Erase for good…")
    expect(erasing.get_by_role("button", name="Erase for good…")).to_be_disabled()
    erasing.get_by_label("Delete all 2 messages of this person, too, sent from").check()
    erasing.get_by_role("textbox").fill("Ben")
    erasing.get_by_role("button", name="Erase for good…").click()
    expect(erasing).to_have_count(0)

    page_chat.server.catch_up()
    assert owner.get(f"/users/{ben.id}").succeeds()["user"]["full_name"] == "Erased user"
    for message in (soup, salad):
        owner.get(f"/messages/{message.id}").fails("Invalid message(s)")


def chooses(page, name, item):
    """Choose an item in the menu of an account."""
    page.get_by_role("button", name=f"Actions for {name}").click()
    page.get_by_role("menuitem", name=item).click()


def confirms(page, title, text):
    requested = page.get_by_role("dialog", name=title)
    expect(requested).to_contain_text(text)
    requested.get_by_role("button", name=title).click()
    expect(requested).to_have_count(0)


def test_an_administrator_hands_over_a_password_link(page_chat, owner, browse):
    ben = page_chat.person("ben", password=SESAME)
    page = browse(owner).goes("#organization/users").page

    chooses(page, "Ben", "Make a password link")

    shown = page.get_by_role("dialog", name="Make a password link")
    expect(shown).to_contain_text("With this link Ben chooses a new password.")
    link = urlsplit(shown.locator("code").inner_text())
    better = "lentils, always lentils"
    assert Browser(page_chat).submits(link.path, {"password": better}).status == 303
    assert Browser(page_chat).logs_in(ben.email, better).status == 303
    assert Browser(page_chat).logs_in(ben.email, SESAME).status == 401


def test_an_administrator_ends_sessions_and_renews_a_key(page_chat, owner, browse):
    ben = page_chat.person("ben")
    elsewhere = Browser.of(ben)
    page = browse(owner).goes("#organization/users").page
    account = page.locator(f"[data-account='{ben.id}']")
    expect(account.locator("[data-l=Sessions]")).to_have_text("1")

    chooses(page, "Ben", "End all sessions")
    confirms(page, "End all sessions", "Ben is logged out in all browsers")
    expect(account.locator("[data-l=Sessions]")).to_have_text("0")
    assert elsewhere.calls("GET", "/users/me").status == 401
    ben.get("/users/me").succeeds()
    chooses(page, "Ben", "Renew the API key")
    confirms(page, "Renew the API key", "The API key of Ben ends at once.")

    eventually(lambda: ben.get("/users/me").status == 401)


def test_an_administrator_resets_a_second_factor(page_chat, owner, browse):
    ben, _, _ = secured(page_chat, "ben")
    page = browse(owner).goes("#organization/users").page
    account = page.locator(f"[data-account='{ben.id}']")
    factor = account.get_by_role("cell").nth(SECOND_FACTOR_COLUMN)
    expect(page.get_by_role("columnheader").nth(SECOND_FACTOR_COLUMN)).to_have_text("Second factor")
    expect(factor).to_have_text("On")
    page.get_by_role("button", name="Without second factor").click()
    expect(account).to_have_count(0)
    page.get_by_role("button", name="Without second factor").click()

    chooses(page, "Ben", "Reset the second factor")
    confirms(page, "Reset the second factor", "Ben can log in with the password alone")

    expect(factor).to_have_text("–")
    assert Browser(page_chat).logs_in(ben.email, SESAME).status == 303


def test_the_details_of_a_person_have_groups_storage_and_sessions(start_server, browse):
    chat = Chat.found(start_server(user_upload_quota_mib=5), "")
    owner, ben = chat.person("ana", role="owner"), chat.person("ben")
    for name in ("cooks", "waiters"):
        owner.post("/user_groups/create", name=name, description="", members=[ben.id]).succeeds()
    uploads(ben, "menu.txt", b"soup" * 300_000)
    Browser.of(ben)
    page = browse(owner, chat).goes("#organization/users").page
    expect(page.locator(f"[data-account='{ben.id}'] [data-l=Storage]")).to_have_text("1.2 MB")

    chooses(page, "Ben", "Details and role")

    details = page.get_by_role("dialog", name="Ben")
    expect(details.get_by_role("listitem")).to_contain_text("Mozilla")  # it has loaded everything
    facts = dict(
        zip(
            details.locator("dt").all_inner_texts(),
            details.locator("dd").all_inner_texts(),
            strict=True,
        )
    )
    assert facts["Groups"] == "cooks and waiters"
    assert facts["Storage"] == "1.2 MB of 5.2 MB"
    assert facts["Second factor"] == "Off"
    assert facts["Joined"] != "" != facts["Last active"]
    details.get_by_role("combobox", name="Role").select_option("Moderator")
    expect(details.get_by_text("Saved")).to_be_visible()
    assert owner.get(f"/users/{ben.id}").succeeds()["user"]["role"] == 300
    found = violations(page, "account", inside="dialog[open]:last-of-type", closely=True)
    assert not found, "\n".join(found)


def test_the_log_of_a_person_opens_from_their_account(page_chat, owner, browse):
    ben = page_chat.person("ben", role="admin")
    ben.patch("/realm", digest_weekday=4).succeeds()
    owner.patch("/realm", description="We cook together.").succeeds()
    page = browse(owner).goes("#organization/users").page

    chooses(page, "Ben", "What they did")

    rows = page.locator("[data-section=audit-log] tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Ben")


def test_a_refusal_in_the_list_of_people_says_who_may(page_chat, owner, browse):
    admin = page_chat.person("cleo", role="admin")
    page = browse(admin).goes("#organization/users").page

    chooses(page, "Ana", "Deactivate…")
    confirms(page, "Deactivate…", "Ana is logged out everywhere")

    expect(page.locator(".pane").get_by_role("alert")).to_have_text("Must be an organization owner")
    chooses(page, "Ana", "Details and role")
    details = page.get_by_role("dialog", name="Ana")
    details.get_by_role("combobox", name="Role").select_option("Member")
    expect(details).to_contain_text("Must be an organization owner")
    ben = page_chat.person("ben")
    page = browse(ben).goes("#organization/users").page
    expect(page.get_by_text("Administrators can change this.")).to_be_visible()


def test_more_than_a_page_of_people_is_listed_and_searched(page_chat, owner, browse):
    page_chat.people(*(f"cook{number}" for number in range(60)))
    page = browse(owner).goes("#organization/users").page
    rows = page.locator("table.tab tbody tr")
    expect(rows).to_have_count(50)

    page.get_by_role("button", name="Show 50 more").click()

    expect(rows).to_have_count(61)
    expect(page.get_by_role("button", name="Show 50 more")).to_be_hidden()
    expect(page.get_by_role("status").filter(has_text="61")).to_be_visible()
    page.get_by_role("searchbox", name="Name or address").fill("cook59")
    expect(rows).to_have_count(1)


def test_hundreds_of_people_are_filtered_sorted_and_given_a_role_together(page_chat, owner, browse):
    cooks = page_chat.people(*(f"cook{number:03}" for number in range(210)))
    owner.patch(f"/users/{cooks[-1].id}", role=600).succeeds()
    page = browse(owner).goes("#organization/users").page
    rows = page.locator("table.tab tbody tr")
    expect(page.get_by_role("status").filter(has_text="211 accounts")).to_be_visible()

    page.get_by_role("button", name="Person").click()
    expect(rows.first).to_contain_text("Cook209")  # sorting is over all, not over those shown
    page.get_by_role("combobox", name="Role", exact=True).select_option("Guest")
    expect(rows).to_have_count(1)
    page.get_by_role("combobox", name="Role", exact=True).select_option("Member")
    expect(rows).to_have_count(50)
    page.get_by_role("checkbox", name="Select Cook208").check()
    page.get_by_role("button", name="Select everybody found").press("Enter")
    expect(page.get_by_role("status").filter(has_text="209 selected")).to_be_visible()
    page.get_by_role("combobox", name="New role").select_option("Moderator")
    page.get_by_role("button", name="Change the role").press("Enter")
    asked = page.get_by_role("dialog", name="Change the role")
    expect(asked).to_contain_text("209 people")
    asked.get_by_role("button", name="Change the role").press("Enter")

    expect(rows).to_have_count(0)  # no selected person is a member any more
    roles = {each["full_name"]: each["role"] for each in owner.get("/users").succeeds()["members"]}
    assert [roles.pop("Ana"), roles.pop("Cook209")] == [100, 600]
    assert {role for name, role in roles.items() if name.startswith("Cook")} == {300}


def test_people_fit_on_a_small_phone_and_are_accessible(page_chat, owner, browse):
    page_chat.person("benedetta Montgomery-Featherstonehaugh of the Long Kitchen", email="b@b.test")
    page = browse(owner, viewport={"width": 320, "height": 640}).goes("#organization/users").page
    expect(page.locator("table.tab tbody tr")).to_have_count(2)

    wide = page.locator(".pane").evaluate("pane => pane.scrollWidth - pane.clientWidth")

    assert wide <= 0
    found = violations(page, "people", inside="dialog[open]", closely=True)
    assert not found, "\n".join(found)


# --- channels ---


def test_an_administrator_changes_a_channel_exports_it_and_brings_it_back(page_chat, owner, browse):
    kitchen = page_chat.channel("kitchen").id
    page = browse(owner).goes(f"#channels/{kitchen}/general").page

    page.get_by_role("checkbox", name="New people are in it from the start").click()
    expect(page.get_by_text("Saved")).to_be_visible()
    page.get_by_role("button", name="Export this channel").click()
    expect(page.get_by_text("Started. You get a message")).to_be_visible()
    page.get_by_role("button", name="Archive this channel").click()
    page.get_by_role("dialog", name="Archive this channel").get_by_role(
        "button", name="Archive this channel"
    ).click()
    page = browse(owner).goes("#organization/archived-channels").page
    page.get_by_role("button", name="Bring back kitchen").click()

    expect(page.get_by_text("No channel is archived.")).to_be_visible()
    assert owner.get(f"/streams/{kitchen}").succeeds()["stream"]["is_archived"] is False
    (export,) = owner.get("/export/realm").succeeds()["exports"]
    assert export["stream_id"] == kitchen
    page.locator("nav [data-page=data-exports-admin]").click()
    expect(page.get_by_text("Channel kitchen")).to_be_visible()


def test_an_owner_exports_the_messages_of_a_user_who_agrees(page_chat, owner, browse):
    cleo = page_chat.person("cleo", channels=["kitchen"])
    cleo.patch("/settings", allow_private_data_export=True).succeeds()
    page = browse(owner).goes("#organization/users").page

    page.get_by_role("button", name="Actions for Cleo").click()
    page.get_by_role("menuitem", name="Export messages…").click()
    dialog = page.get_by_role("dialog", name="Export messages…")
    dialog.get_by_role("button", name="Export messages…").click()

    expect(dialog).to_be_hidden()
    page_chat.server.run_job("exports")
    eventually(lambda: "Your data export is complete" in newest_text(owner))


def test_a_user_exports_their_own_messages(page_chat, browse):
    cleo = page_chat.person("cleo", channels=["kitchen"])
    page = browse(cleo).goes("#settings/account-and-privacy").page

    page.get_by_role("button", name="Export", exact=True).click()

    expect(page.get_by_text("Started. You get a message")).to_be_visible()
    page_chat.server.run_job("exports")
    eventually(lambda: "Your data export is complete" in newest_text(cleo))


def newest_text(who: Person) -> str:
    found = who.get("/messages", anchor="newest", num_before=1, num_after=0).succeeds()["messages"]
    return found[-1]["content"] if found else ""


def test_the_mail_address_of_a_channel_is_shown_on_request(page_chat, owner, browse):
    kitchen = page_chat.channel("kitchen").id
    page = browse(owner).goes(f"#channels/{kitchen}/general").page

    page.get_by_role("button", name="Show the address").click()

    address = page.get_by_role("textbox", name="Address for mail")
    expect(address).to_have_value(re.compile(r"^chat\+kitchen\..*@mail\.test$"))
    expect(address).to_be_focused()
    acts = [each["act"] for each in owner.get("/realm/audit_log").succeeds()["entries"]]
    assert f"GET /streams/{kitchen}/email_address" in acts


def test_the_mail_address_of_a_channel_is_renewed(page_chat, owner, browse):
    kitchen = page_chat.channel("kitchen").id
    ben = page_chat.person("ben", channels=["kitchen"])
    old = owner.get(f"/streams/{kitchen}/email_address").succeeds()["email"]
    page = browse(owner).goes(f"#channels/{kitchen}/general").page

    page.get_by_role("button", name="Renew the address").click()
    confirms(page, "Renew the address", "Everybody’s addresses of kitchen become invalid at once.")

    address = page.get_by_role("textbox", name="Address for mail")
    expect(address).to_have_value(re.compile(r"^chat\+kitchen\..*@mail\.test$"))
    expect(page.get_by_text("Renewed. The old addresses are invalid.")).to_be_visible()
    new = owner.get(f"/streams/{kitchen}/email_address").succeeds()["email"]
    assert (address.input_value(), new != old) == (new, True)
    page = browse(owner).goes("#organization/audit-log").page
    log = page.locator("table.tab")
    expect(log).to_contain_text("Renewed the mail addresses of the channel kitchen")
    page = browse(ben).goes(f"#channels/{kitchen}/general").page
    expect(page.get_by_role("button", name="Show the address")).to_be_visible()
    expect(page.get_by_role("button", name="Renew the address")).to_have_count(0)


def test_a_server_without_inbound_mail_says_so(start_server, browse):
    chat = Chat.found(start_server(mail_in_address=""), "")
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    page = browse(ana, chat).goes(f"#channels/{chat.channel('kitchen').id}/general").page

    page.get_by_role("button", name="Show the address").click()

    expect(page.get_by_text("This server does not take in mail.")).to_be_visible()


def test_permissions_of_a_channel_are_explained_in_sentences(page_chat, owner, browse):
    ben = page_chat.person("ben")
    kitchen = page_chat.channel("kitchen").id
    page = browse(owner).goes(f"#channels/{kitchen}/permissions").page
    sentences = page.locator(".explained li")

    expect(sentences).to_have_text(
        [
            "All members can read and join; guests can read after they were added.",
            "Everyone who can read with an account can post, guests too.",
            "Besides administrators of the organization, these can change the channel: Ana.",
        ]
    )
    gives(page.locator("[data-permission=can_send_message_group]"), "Members")
    expect(sentences.nth(1)).to_have_text("Members can post; guests can only read.")
    members, moderators = page_chat.group("members"), page_chat.group("moderators")
    several = {"new": {"direct_members": [ben.id], "direct_subgroups": [moderators]}}
    owner.patch(f"/streams/{kitchen}", can_send_message_group=several).succeeds()
    expect(sentences.nth(1)).to_have_text(
        "These can post: Moderators and Ben. Others can only read."
    )
    redundant = {"direct_members": [owner.id, ben.id], "direct_subgroups": [moderators, members]}
    owner.patch(f"/streams/{kitchen}", can_send_message_group={"new": redundant}).succeeds()
    expect(sentences.nth(1)).to_have_text("Members can post; guests can only read.")
    owner.patch(f"/streams/{kitchen}", is_private=True).succeeds()
    expect(sentences.first).to_have_text("People who were added can read everything.")


def test_a_permission_of_a_channel_is_given_to_groups_and_people(page_chat, owner, browse):
    ben = page_chat.person("ben")
    cooks = owner.post("/user_groups/create", name="cooks", description="", members=[ben.id])
    cooks_id = cooks.succeeds()["group_id"]
    kitchen = page_chat.channel("kitchen").id
    page = browse(owner).goes(f"#channels/{kitchen}/permissions").page
    field = page.locator("[data-permission=can_send_message_group]")
    chips = field.get_by_role("listitem")

    def stored():
        return owner.get(f"/streams/{kitchen}").succeeds()["stream"]["can_send_message_group"]

    expect(chips).to_have_text(["Everyone"])
    field.get_by_role("combobox", name="Who may write").click()
    expect(field.get_by_role("option", name="Everyone on the internet")).to_have_count(0)
    gives(field, "Administrators")
    expect(chips).to_have_text(["Administrators"])
    field.get_by_role("combobox").fill("coo")
    page.keyboard.press("Enter")
    field.get_by_role("combobox").fill("be")
    expect(field.get_by_role("option")).to_have_text(
        ["BBenben@example.com", "Full members", "Members"]
    )
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")

    expect(chips).to_have_text(["Administrators", "cooks", "BBen"])
    expect(page.locator(".explained li").nth(1)).to_have_text(
        "These can post: Administrators, cooks, and Ben. Others can only read."
    )
    expect(field.get_by_text("Saved")).to_be_visible()
    administrators = page_chat.group("administrators")
    assert stored() == {"direct_members": [ben.id], "direct_subgroups": [administrators, cooks_id]}
    for name in ("Administrators", "Ben", "cooks"):
        field.get_by_role("button", name=f"Remove {name}").click()
    expect(chips).to_have_text(["Nobody"])
    expect(page.locator(".explained li").nth(1)).to_have_text("Nobody can post.")
    expect(field.get_by_role("button")).to_have_count(0)
    assert stored() == page_chat.group("nobody")


def test_a_permission_of_the_organization_is_given_to_groups_and_people(page_chat, owner, browse):
    ben = page_chat.person("ben")
    members, moderators = page_chat.group("members"), page_chat.group("moderators")
    value = {"direct_members": [ben.id], "direct_subgroups": [moderators]}
    owner.patch("/realm", can_create_bots_group={"new": value}).succeeds()
    page = browse(owner).goes("#organization/organization-permissions").page
    bots = row(page, "can_create_bots_group")
    foot = page.locator("dialog.broad > footer")

    expect(bots.get_by_role("listitem")).to_have_text(["Moderators", "BBen"])
    expect(bots).to_contain_text("Default: Members")
    bots.get_by_role("combobox").fill("zzz")
    expect(bots.get_by_text("No group or person has this name.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(bots.get_by_role("listbox")).to_be_hidden()
    gives(bots, "Members")
    expect(foot).to_contain_text("1 change: ")
    gives(bots, "Moderators")
    expect(foot).to_be_hidden()
    gives(bots, "Members")
    bots.get_by_role("button", name="Remove Ben").click()
    foot.get_by_role("button", name="Save").click()

    expect(foot).to_be_hidden()
    expect(bots.get_by_role("listitem")).to_have_text(["Members"])
    assert settings(owner)["can_create_bots_group"]["value"] == members
    everywhere = row(page, "can_manage_all_groups")
    expect(everywhere.get_by_role("listitem")).to_have_text(["Owners"])
    expect(everywhere.get_by_role("button")).to_have_count(0)  # it is never given to nobody


def test_others_read_who_has_a_permission(page_chat, owner, browse):
    ben = page_chat.person("ben")
    value = {"direct_members": [ben.id], "direct_subgroups": [page_chat.group("moderators")]}
    owner.patch("/realm", can_create_bots_group={"new": value}).succeeds()

    page = browse(ben).goes("#organization/organization-permissions").page

    bots = row(page, "can_create_bots_group")
    expect(bots.get_by_role("listitem")).to_have_text(["Moderators", "BBen"])
    expect(bots).to_contain_text("Administrators can change this.")
    expect(bots.get_by_role("combobox")).to_have_count(0)
    expect(bots.get_by_role("button")).to_have_count(0)
