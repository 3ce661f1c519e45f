"""Previews of linked pages below messages."""

import ipaddress
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from tests.support.axe import violations
from tests.support.fake_webhooks import Receiver
from tests.support.people import Chat
from tests.web.test_views import topic

PAGE = b"""<!doctype html><html><head><meta property="og:title" content="Soup and bread">
<meta property="og:description" content="How to cook it"></head>"""


@pytest.fixture
def site() -> Iterator[Receiver]:
    receiver = Receiver(answer=(200, PAGE, {"Content-Type": "text/html; charset=utf-8"}))
    yield receiver
    receiver.close()


@pytest.mark.on_one
def test_a_preview_is_hidden_by_its_sender_for_all_and_by_others_for_them(
    start_server, site, browse
):
    networks = (ipaddress.ip_network("127.0.0.1/32"),)
    chat = Chat.found(start_server(link_preview_networks=networks))
    chat.set("inline_url_embed_preview", True)
    ana, ben, cleo = chat.people("ana", "ben", "cleo", channels=["kitchen"])
    here = topic(chat, "kitchen", "lunch")
    users = [browse(person, chat).goes(here) for person in (ana, ben, cleo)]
    at_anas, at_bens, at_cleos = (each.page.locator(".message_embed") for each in users)

    ana.says(f"look: {site.url}", to="kitchen > lunch")
    expect(at_bens).to_contain_text("127.0.0.1")
    expect(at_bens.get_by_role("link", name="Soup and bread")).to_have_attribute(
        "rel", "noopener noreferrer"
    )
    expect(at_bens).to_contain_text("How to cook it")
    assert not violations(users[1].page, "preview", inside="[role=feed]")
    at_bens.get_by_role("button", name="Hide this preview").press("Enter")
    expect(at_bens).to_have_count(0)
    users[1].page.reload()
    expect(users[1].message("look:")).to_be_visible()
    expect(at_bens).to_have_count(0)
    expect(at_cleos).to_be_visible()

    at_anas.get_by_role("button", name="Hide this preview").press("Enter")

    expect(at_cleos).to_have_count(0)
    expect(at_anas).to_have_count(0)
