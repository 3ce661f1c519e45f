"""The sections of administration that watch over the organization, in a browser."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.database_plan import thorough_except
from tests.support.files import uploads

from tertulia import actions, features, locale
from tertulia.api.routes import ROUTES
from tertulia.domain.organization.audit import Act
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.web.assets import STATIC

SMALL = {"viewport": {"width": 320, "height": 700}}


@pytest.fixture
def owner(page_chat):
    return page_chat.person("owner", role="owner", channels=["kitchen"])


@pytest.fixture
def log(page_chat, owner):
    """A log with acts of the owner, of a refused member, of a command and of a directory."""
    ben = page_chat.person("ben", channels=["kitchen"])
    owner.patch("/realm", message_content_edit_limit_seconds=600).succeeds()
    owner.post(f"/users/{ben.id}/password_link").succeeds()
    ben.patch("/realm", enable_read_receipts=False)
    for act, origin, details in (
        ("provider role", "provider, ldap", {"user_id": ben.id, "role": 300}),
        ("user role", "command line, root", {"numbers": [ben.id, 400]}),
    ):
        page_chat.write(actions.organization.audit.record, Act(act, None, origin, details))
    return ben


def opened(person, browse, address, **options):
    sitter = browse(person, **options).goes(address)
    section = address.removeprefix("#organization/").partition("/")[0]
    pane = sitter.page.locator(f"dialog.broad .pane[data-section={section}]")
    expect(pane.locator("> *").first).to_be_visible()
    return sitter.page


def rows(page):
    return page.get_by_role("table", name="Audit log").locator("tbody tr")


def test_the_audit_log_describes_actions_in_sentences(owner, log, browse):
    page = opened(owner, browse, "#organization/audit-log")

    expect(rows(page)).to_have_count(5)
    texts = rows(page).all_inner_texts()
    assert "Changed the role of Ben" in texts[0]
    assert "Command line" in texts[0]
    assert "ldap" in texts[1]
    assert "Refused: Changed settings (no permission)" in texts[2]
    assert "Made a password link for Ben" in texts[3]
    assert "Changed settings" in texts[4]
    expect(page.locator(".badt")).to_have_count(1)
    expect(page.get_by_text("5 entries")).to_be_visible()
    expect(page.get_by_text("kept for 365 days")).to_be_visible()


def test_the_audit_log_says_what_was_changed_from_and_to(page_chat, owner, browse):
    ben, kitchen = page_chat.person("ben"), page_chat.channel("kitchen").id
    several = {"direct_members": [ben.id], "direct_subgroups": [page_chat.group("moderators")]}
    owner.patch("/realm", message_content_edit_limit_seconds='"unlimited"').succeeds()
    owner.patch("/realm", can_create_bots_group={"new": several}).succeeds()
    owner.patch("/realm/user_settings_defaults", twenty_four_hour_time=True).succeeds()
    owner.patch(f"/streams/{kitchen}", is_private=True).succeeds()
    owner.patch(f"/streams/{kitchen}", can_send_message_group={"new": several}).succeeds()
    owner.patch(f"/users/{ben.id}", role=300).succeeds()
    owner.patch("/realm/accounts", account_ids=[ben.id], role=400).succeeds()
    group = owner.post("/user_groups/create", name="cooks", description="", members=[]).succeeds()
    cooks = f"/user_groups/{group['group_id']}"
    owner.patch(cooks, can_mention_group={"new": page_chat.group("moderators")}).succeeds()
    owner.post("/bots", full_name="Baker", short_name="baker", bot_type=2).succeeds()

    page = opened(owner, browse, "#organization/audit-log")

    expect(rows(page).locator("small")).to_have_text(
        [
            "Kind: Incoming webhook",
            "Name",
            "Who mentions the group: from Everyone to Moderators",
            "Description",
            "People",
            "Name",
            "Role of Ben: from Moderator to Member",
            "Role: from Member to Moderator",
            "Who may write: from Everyone to Moderators and Ben",
            "Who can read: from Public to Private, with protected history",
            "24-hour clock: from Off to On",
            "Create bots of all kinds: from Members to Moderators and Ben",
            "Time limit for editing: from 10 minutes to No limit",
        ]
    )
    page.get_by_label("What", exact=True).select_option("People")
    expect(rows(page)).to_have_count(2)
    rows(page).nth(1).get_by_role("link").press("Enter")
    expect(page.get_by_text("Role: from Member to Moderator")).to_be_visible()


def test_the_filters_are_part_of_the_address(owner, log, browse):
    page = opened(owner, browse, "#organization/audit-log")

    page.get_by_label("Who", exact=True).select_option("command")
    expect(rows(page)).to_have_count(1)
    page.get_by_label("Who", exact=True).select_option("")
    expect(rows(page)).to_have_count(5)
    page.get_by_label("What", exact=True).select_option("People")
    expect(rows(page)).to_have_count(3)
    search = page.get_by_role("combobox", name="Person, channel or text")
    search.press_sequentially("bé")
    expect(page.get_by_role("option", name="Ben")).to_be_visible()
    search.press("Enter")
    expect(search).to_have_value("Ben")
    expect(search).to_have_attribute("aria-expanded", "false")
    expect(rows(page)).to_have_count(3)
    page.get_by_label("What", exact=True).select_option("Everything")
    search.fill("")
    expect(rows(page)).to_have_count(5)
    page.get_by_role("button", name="Only failures").click()
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Only failures").click()
    page.get_by_label("When", exact=True).select_option("Between two days…")
    page.get_by_label("First day").fill("2099-01-01")
    expect(page.get_by_text("Nothing matches these filters.")).to_be_visible()

    assert page.url.endswith("#organization/audit-log/when%3Drange%26from%3D2099-01-01")
    again = opened(owner, browse, f"#organization/audit-log/actor_id={log.id}")
    expect(rows(again)).to_have_count(1)
    expect(again.get_by_label("Who", exact=True)).to_have_value(str(log.id))


def test_an_entry_has_a_permanent_link(owner, log, browse):
    page = opened(owner, browse, "#organization/audit-log")

    rows(page).nth(3).get_by_role("link").press("Enter")
    expect(page.get_by_role("heading", name="of the audit log")).to_be_visible()
    address = page.get_by_label("Permanent link").input_value()
    assert address == page.url

    again = opened(owner, browse, "#" + address.partition("#")[2])
    expect(again.get_by_text("Made a password link for Ben")).to_be_visible()
    again.get_by_role("button", name="Show the whole log").click()
    expect(rows(again)).to_have_count(5)
    gone = opened(owner, browse, "#organization/audit-log/999999")
    expect(gone.get_by_role("alert")).to_have_text(
        "This entry does not exist, or is no longer kept."
    )


def test_the_filtered_log_is_downloaded_as_csv(owner, log, browse):
    page = opened(owner, browse, "#organization/audit-log/source=command&when=all")
    expect(rows(page)).to_have_count(1)

    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()

    found = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert [each["act"] for each in found] == ["user role"]


def test_usage_has_plots_and_tables(page_chat, owner, log, browse):
    owner.says("Soup", to="kitchen > lunch")
    log.says("Bread", to="kitchen > lunch")
    file = uploads(owner, "soup.txt", b"x" * 1500)
    owner.says(f"[soup]({file.url})", to="kitchen > lunch")

    page = opened(owner, browse, "#organization/usage")

    expect(page.get_by_role("img", name=re.compile("People who wrote, per day"))).to_be_visible()
    channels = page.get_by_role("table", name="Messages and files by channel")
    expect(channels.get_by_role("row", name=re.compile("kitchen"))).to_contain_text("1.5 kB")
    expect(page.get_by_role("table", name="Files by person")).to_contain_text("Owner")
    page.get_by_text("The figures as a table").press("Enter")
    days = page.get_by_role("table", name="Activity").locator("tbody tr")
    expect(days).to_have_count(28)
    assert days.first.inner_text().split("\t")[1] == "2"
    page.get_by_label("Time", exact=True).select_option("90")
    expect(days).to_have_count(0)  # the new figures are there, and their table is closed
    page.get_by_text("The figures as a table").click()
    expect(days).to_have_count(90)


def test_members_do_not_see_these_sections(page_chat, log, browse):
    page = browse(log).goes("#organization/audit-log").page

    expect(page.locator("dialog.broad nav")).to_be_visible()
    expect(page.locator("dialog.broad nav").get_by_text("Audit log")).to_have_count(0)
    expect(page.locator("dialog.broad nav").get_by_text("Usage")).to_have_count(0)


def test_an_example_is_sent_from_the_page_of_a_service(page_chat, owner, browse):
    bot = page_chat.person("oven", bot="incoming-webhook", owner=owner)
    page = opened(owner, browse, "#organization/integrations")

    page.get_by_label("Find a service").fill("githu")
    page.locator(".services").get_by_role("button").press("Enter")
    channel = page.get_by_role("combobox", name="Channel")
    channel.fill("cellar")
    page.get_by_role("button", name="Send an example").click()
    expect(channel).to_be_focused()
    channel.fill("kit")
    page.get_by_role("option", name="kitchen").click()
    page.get_by_label("Topic", exact=True).fill("trial")
    page.get_by_role("button", name="Put the key into the address").click()
    address = page.get_by_label("Address to paste into the service").first
    query = f"api_key={bot.key}&stream=kitchen&topic=trial"
    expect(address).to_have_value(re.compile(f"/api/v1/external/github.{query}$"))
    expect(address).to_have_attribute("dir", "ltr")  # it begins with https:// in Arabic, too
    page.get_by_role("button", name="Send an example").click()
    expect(page.get_by_text("Sent. Look in the channel.")).to_be_visible()

    found = owner.get("/messages", anchor="newest", num_before=1).succeeds()["messages"]
    assert (found[-1]["sender_id"], found[-1]["subject"]) == (bot.id, "trial")


def test_a_template_is_previewed_in_the_page(page_chat, owner, browse):
    page_chat.person("oven", bot="incoming-webhook", owner=owner)
    page = opened(owner, browse, "#organization/integrations/template")

    page.get_by_label("JSON to try it with").fill('{"name": "Soup"}')
    page.get_by_label("Template of the topic").fill("Menu")
    page.get_by_label("Template of the text").fill("Today: **{{ name }}**")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".shown strong")).to_have_text("Soup")
    expect(page.locator(".shown > b")).to_have_text("Menu")
    page.get_by_label("Template of the text").fill("{{ name.upper() }}")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Call is not allowed in a template")).to_be_visible()

    address = page.get_by_label("Address to paste into the service").first
    expect(address).to_have_value(re.compile("topic_template=Menu&text_template="))


def test_bots_are_shown_with_owner_key_and_failures(page_chat, owner, browse):
    created = owner.post(
        "/bots", full_name="Out", short_name="out", bot_type=3, payload_url="https://example.com"
    ).succeeds()
    trouble = features.outgoing_webhooks.UNREACHABLE
    page_chat.write(features.outgoing_webhooks.record_outcome, created["user_id"], trouble)
    page = opened(owner, browse, "#organization/integrations")

    row = page.get_by_role("table", name="Bots").get_by_role("row", name=re.compile("^Out "))
    expect(row).to_contain_text("Owner")
    expect(row).to_contain_text("1 call has failed")
    expect(row).to_contain_text("A connection error occurred.")
    row.get_by_role("button", name="Show the key of Out").press("Enter")
    expect(row.locator("code")).to_have_text(created["api_key"])


def test_owners_see_the_state_of_the_server(page_chat, owner, browse):
    page = opened(owner, browse, "#organization/server-health")

    lines = page.locator(".health li")
    expect(lines).to_have_count(5)
    expect(lines.filter(has_text="Last backup")).to_be_visible()
    expect(page.get_by_role("link", name="Operator’s page")).to_have_count(0)


def test_owners_put_people_and_channels_on_hold_and_end_it(page_chat, owner, browse):
    page_chat.person("ben", channels=["kitchen"])
    page = opened(owner, browse, "#organization/legal-holds")
    expect(page.get_by_text("There is no legal hold.")).to_be_visible()
    page.get_by_role("button", name="Put on hold").click()
    asking = page.get_by_role("dialog", name="Put on hold")
    for label, typed, name in (("People", "be", "Ben"), ("Channels", "kit", "kitchen")):
        page.get_by_role("combobox", name=label, exact=True).fill(typed)
        page.get_by_role("option", name=name).click()
        expect(page.get_by_role("list", name=label, exact=True)).to_have_text(name)
    page.get_by_label("Reason, for the audit log").fill("Case 4711")

    asking.get_by_role("button", name="Put on hold").click()

    lines = page.get_by_role("table", name="Holds").locator("tbody tr")
    expect(lines).to_have_count(2)
    expect(lines.filter(has_text="Ben")).to_contain_text("Case 4711")
    lines.filter(has_text="Channel kitchen").get_by_role("button", name="End the hold").click()
    expect(lines.filter(has_text="Channel kitchen")).not_to_contain_text("–")
    holds = owner.get("/realm/legal_holds").succeeds()["legal_holds"]
    assert [each["ended_at"] is None for each in holds] == [True, False]


def test_the_list_of_holds_follows_what_another_owner_does(page_chat, owner, browse):
    second = page_chat.person("second", role="owner")
    ben = page_chat.person("ben", channels=["kitchen"])
    page = opened(owner, browse, "#organization/legal-holds")
    lines = page.get_by_role("table", name="Holds").locator("tbody tr")
    expect(lines.filter(has_text="Case 4711")).to_have_count(0)

    begun = second.post("/realm/legal_holds", reason="Case 4711", held_user_ids=[ben.id])
    (number,) = begun.succeeds()["ids"]

    expect(lines.filter(has_text="Case 4711")).to_contain_text("–")
    second.delete(f"/realm/legal_holds/{number}").succeeds()
    expect(lines.filter(has_text="Case 4711")).not_to_contain_text("–")


# With the entries of a log, or opened from another section; test_accessibility.py has all others.
SECTIONS = ("audit-log", "integrations/template", "integrations/github")


@pytest.mark.parametrize("section", thorough_except(["audit-log"], SECTIONS))
def test_axe_finds_nothing(page_chat, owner, log, browse, section):
    page_chat.person("oven", bot="incoming-webhook", owner=owner)
    page = opened(owner, browse, f"#organization/{section}")

    assert violations(page, section, inside="dialog.broad") == []


def test_the_state_of_the_server_is_reached_by_keyboard_when_it_scrolls(owner, browse):
    low = {"viewport": {"width": 320, "height": 400}}
    page = opened(owner, browse, "#organization/server-health", **low)

    pane = page.locator(".pane")
    assert pane.evaluate("pane => pane.scrollHeight > pane.clientHeight")
    assert violations(page, "server-health", inside="dialog.broad", colours=False) == []


@pytest.mark.parametrize("section", thorough_except(["audit-log"], SECTIONS))
def test_no_element_is_wider_than_a_small_phone(page_chat, owner, log, browse, section):
    page_chat.person("oven", bot="incoming-webhook", owner=owner)
    page = opened(owner, browse, f"#organization/{section}", **SMALL)

    wide = page.evaluate(
        "() => [document.documentElement, document.querySelector('dialog.broad .pane')]"
        ".map((each) => each.scrollWidth - each.clientWidth)"
    )
    assert wide == [0, 0]


def test_every_recorded_parameter_has_a_label_or_is_hidden():
    source = (STATIC / "admin" / "audit_entries.js").read_text(encoding="utf-8")
    texts = locale.catalogue("en").texts.keys()
    _, hidden, rest = re.split(r"const HIDDEN = new Set\(\[(.*?)\]\);", source, flags=re.DOTALL)
    table, _, _ = rest.partition("const LABELS = {")[2].partition("};")
    labels = dict(re.findall(r'(\w+):\s*"([^"]+)"', table))
    assert labels
    assert {*labels.values()} <= texts

    known = {*re.findall(r"\w+", hidden), *labels, *PREFERENCES, "role"}
    for family in ("org", "channel", "audit.channel", "audit.parameter"):
        known |= {each.removeprefix(f"{family}.") for each in texts if each.startswith(family)}
    recorded = {
        each.name
        for route in ROUTES
        if route.is_recorded or route.recorded_with
        for each in route.contract.parameters
    }
    assert recorded <= known, f"Add labels or hide them in audit_entries.js: {recorded - known}"


def test_every_sentence_belongs_to_a_recorded_act():
    source = (STATIC / "admin" / "audit_entries.js").read_text(encoding="utf-8")
    prefix = "audit.act."
    texts = locale.catalogue("en").texts
    named = {key.removeprefix(prefix) for key in texts if key.startswith(prefix)}
    table, _, _ = source.partition("const SAME_ACTS = {")[2].partition("};")
    same = dict(re.findall(r'"([^"]+)": "([^"]+)"', table))
    shown = {
        f"{each.method} {re.sub('{[a-z_]*_id}', '{id}', each.path)}"
        for each in ROUTES
        if each.is_recorded
    }

    missing = shown - named - same.keys()
    assert missing == set(), f"Add texts audit.act.… to locale/en.po: {missing}"
    assert same
    assert {*same.values()} <= named
