"""Agents in a browser: the consent page, and ending them in the settings."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect
from tests.support import axe
from tests.support.browser_user import address
from tests.support.grants import CHALLENGE, granted

from tertulia import actions

PASSWORD = "correct horse battery"


@pytest.fixture
def ana(page_chat):
    page_chat.set("enable_agent_access", True)
    return page_chat.person("ana", role="owner", channels=["kitchen", "garden"])


@pytest.fixture
def back(page_chat):
    """Where a program lets the browser come back to."""
    return f"http://127.0.0.1:{page_chat.server.port}/health"


def asks_for_consent(page_chat, page, back):
    client = page_chat.write(actions.people.agents.register, "Subtitle Helper", [back], "")
    params = {
        "response_type": "code",
        "client_id": client.id,
        "redirect_uri": back,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "scope": "read channel:kitchen",
    }
    page.goto(address(page_chat, f"/oauth/authorize?{urlencode(params)}"))


def test_a_user_chooses_what_an_agent_may_do(page_chat, browse, ana, back):
    page = browse(ana).page
    asks_for_consent(page_chat, page, back)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Subtitle Helper wants to work")
    assert page.get_by_role("checkbox", name="kitchen").is_checked()
    assert axe.violations(page, "consent") == []

    expect(page.locator(".grant", has_text="garden").get_by_text("No access")).to_be_visible()
    page.get_by_role("checkbox", name="garden").check()
    page.get_by_label("What it may do in garden").select_option("Read and write")
    page.get_by_text("1 hour", exact=True).click()
    page.get_by_role("button", name="Allow for 1 hour").click()
    page.wait_for_url(f"{back}?code=**")

    (agent,) = ana.get("/users/me/agents").succeeds()["agents"]
    garden, kitchen = (page_chat.channel(name).id for name in ("garden", "kitchen"))
    assert sorted(agent["readable_channels"]) == sorted([garden, kitchen])
    assert agent["writable_channels"] == [garden]
    assert 3500 < agent["expires"] - agent["created"] <= 3600


def test_somebody_else_at_the_same_browser_logs_in_and_decides(page_chat, browse, ana, back):
    ben = page_chat.person("ben", password=PASSWORD, channels=["kitchen"])
    page = browse(ana).page
    asks_for_consent(page_chat, page, back)
    asked = page.url
    expect(page.get_by_text(ana.email)).to_be_visible()

    page.get_by_role("button", name="not you?").click()
    page.locator("#username").fill(ben.email)
    page.locator("#password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    expect(page.get_by_text(ben.email)).to_be_visible()
    assert parse_qs(urlsplit(page.url).query) == parse_qs(urlsplit(asked).query)
    page.get_by_role("button", name="Allow for 30 days").click()
    page.wait_for_url(f"{back}?code=**")
    assert len(ben.get("/users/me/agents").succeeds()["agents"]) == 1
    assert ana.get("/users/me/agents").succeeds()["agents"] == []


def test_the_consent_page_leads_to_what_an_agent_is(page_chat, browse, ana, back):
    page = browse(ana).page
    asks_for_consent(page_chat, page, back)

    with page.expect_popup() as opened:
        page.get_by_role("link", name="What is an agent?").click()

    expect(opened.value.get_by_role("heading", name="What is an agent?")).to_be_visible()
    expect(opened.value.get_by_text("An agent is a program that")).to_be_visible()
    assert axe.violations(opened.value, "agents") == []


@pytest.mark.parametrize("place", ["#settings/agents", "#organization/agents"])
def test_an_agent_is_ended_in_the_settings(page_chat, browse, ana, place):
    end = page_chat.server.clock() + 3600
    granted(ana, {page_chat.channel("kitchen").id: True}, expires_at=end)
    page = browse(ana).goes(place).page

    row = page.get_by_role("listitem").or_(page.get_by_role("row")).filter(has_text="in #kitchen")
    expect(row).to_contain_text("reads and writes in #kitchen")
    expect(row).to_contain_text(re.compile(r"Until .*\d:\d\d"))
    row.get_by_role("button").click()
    page.get_by_role("alertdialog").or_(page.get_by_role("dialog")).last.get_by_role(
        "button", name="End access"
    ).last.click()
    expect(row).to_have_count(0)

    assert ana.get("/users/me/agents").succeeds()["agents"] == []
