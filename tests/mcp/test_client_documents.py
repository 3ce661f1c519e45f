"""Programs that are described at the URL that is their client id."""

import ipaddress
import json
from urllib.parse import urlencode

import pytest
from tests.support import certificates
from tests.support.fake_webhooks import Receiver, stream_for_ever
from tests.support.oauth import (
    BACK,
    PASSWORD,
    agent_of,
    allowed,
    call_after_consent,
    choice,
    exchanged,
    logged_in,
    question,
)
from tests.support.people import Chat

from tertulia.external import safe_http

HOME = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    """The server of the program's maker, on this machine, with a certificate that we trust."""
    certificates.write(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    safe_http._library.cache_clear()
    server = Receiver(certificates=tmp_path)
    describe(server)
    yield server
    server.close()
    safe_http._library.cache_clear()


def describe(publisher, status=200, headers=JSON, **changes):
    document = {
        "client_id": publisher.url,
        "client_name": "Subtitle Helper",
        "redirect_uris": [BACK, "https://agent.example/back"],
        **changes,
    }
    publisher.answer = (status, document, headers)


@pytest.fixture
def chat(start_server):
    chat = Chat.found(start_server(agent_client_networks=HOME), "")
    chat.set("enable_agent_access", True)
    return chat


@pytest.fixture
def ana(chat):
    return chat.person("ana", password=PASSWORD, channels=["kitchen"])


@pytest.fixture
def browser(chat, ana):
    with logged_in(chat, ana) as client:
        yield client


def consent_page(browser, client_id, **changes):
    return browser.get(f"/oauth/authorize?{urlencode(question(client_id, **changes))}")


def test_a_described_program_gets_a_grant_and_works(chat, ana, browser, publisher):
    url = publisher.url
    page = consent_page(browser, url)
    assert "Subtitle Helper wants to work for you in" in page.text
    assert "Described by localhost." in page.text

    code = allowed(browser, url, choice(chat, kitchen="write"))["code"]
    agent = agent_of(chat, exchanged(browser, url, code).json())

    agent.call("send_message", channel="kitchen", topic="lunch", text="Soup").succeeds()
    assert len(publisher.requests) == 1, "the document is cached"
    assert "cookie" not in publisher.requests[0].headers


def test_the_official_client_uses_its_document_instead_of_a_registration(
    chat, ana, browser, publisher
):
    ana.says("Soup's on", to="kitchen > lunch")
    topic = {"channel": "kitchen", "topic": "lunch"}
    picked = choice(chat, kitchen="read")

    found, kept = call_after_consent(chat, browser, picked, "read_topic", topic, publisher.url)

    assert [each["text"] for each in found.succeeds()["messages"]] == ["Soup's on"]
    assert kept.info.client_id == publisher.url
    count = "SELECT count(*) AS value FROM agent_client WHERE realm_id = :realm"
    assert chat.read(lambda tx: tx.value(count)) == 0


def test_a_warning_is_shown_only_if_the_program_is_on_this_computer(browser, publisher):
    warning = "any program can claim to be the one of localhost"

    here = consent_page(browser, publisher.url)
    elsewhere = consent_page(browser, publisher.url, redirect_uri="https://agent.example/back")

    assert warning in here.text
    assert elsewhere.status_code == 200
    assert warning not in elsewhere.text


@pytest.mark.parametrize(
    "redirect_uri, good",
    [
        ("https://agent.example/back", True),
        ("http://127.0.0.1:1/back", True),
        ("https://agent.example/back/", False),
        ("https://agent.example/", False),
        ("https://agent.example:444/back", False),
        ("https://evil.example/back", False),
    ],
)
def test_the_redirect_is_one_of_the_document(browser, publisher, redirect_uri, good):
    found = consent_page(browser, publisher.url, redirect_uri=redirect_uri)

    assert found.status_code == (200 if good else 400)
    assert "location" not in found.headers


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "https://localhost/other"},
        {"client_id": None},
        {"redirect_uris": []},
        {"redirect_uris": ["javascript:alert(1)", "http://agent.example/back"]},
        {"redirect_uris": BACK},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_secret": "lentils"},
        {"grant_types": ["client_credentials"]},
        {"client_name": "x" * (5 << 10)},
        {"status": 404},
        {"status": 201},
        {"headers": {"Content-Type": "text/html"}},
        {"headers": {}},
        {"status": 302, "headers": {**JSON, "Location": "/other"}},
    ],
    ids=lambda changes: json.dumps(changes)[:60],
)
def test_a_document_that_is_not_valid_is_refused_and_not_cached(browser, publisher, changes):
    describe(publisher, **changes)

    refused = consent_page(browser, publisher.url)

    assert refused.status_code == 400
    assert len(publisher.requests) == 1, "redirects are not followed"
    describe(publisher)
    assert consent_page(browser, publisher.url).status_code == 200


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 4000])
def test_a_document_that_is_no_json_object_is_refused(browser, publisher, body):
    publisher.answer = (200, body, JSON)

    assert consent_page(browser, publisher.url).status_code == 400


def test_a_document_that_does_not_end_is_refused(browser, publisher):
    publisher.answer = stream_for_ever

    assert consent_page(browser, publisher.url).status_code == 400


@pytest.mark.parametrize(
    "change",
    [
        ("https:", "http:"),
        ("/hook", ""),
        ("/hook", "/"),
        ("/hook", "/a/../hook"),
        ("/hook", "/a/%2e%2e/hook"),
        ("/hook", "/./hook"),
        ("/hook", "/hook#part"),
        ("https://", "https://ana@"),
        ("https://localhost", "https://"),
        ("/hook", "/" + "a" * 2000),
    ],
)
def test_only_plain_https_addresses_are_fetched(browser, publisher, change):
    assert consent_page(browser, publisher.url.replace(*change)).status_code == 400

    assert publisher.requests == []


def test_an_address_in_a_private_network_is_refused_by_default(start_server, publisher):
    chat = Chat.found(start_server(), "")
    chat.set("enable_agent_access", True)
    with logged_in(chat, chat.person("ana", password=PASSWORD)) as browser:
        found = consent_page(browser, publisher.url)

    assert found.status_code == 400
    assert "AddressNotAllowed" in found.text
    assert publisher.requests == []


def test_a_stranger_cannot_make_the_server_fetch_a_document(browser, publisher):
    browser.headers.pop("Cookie")
    browser.cookies.clear()
    form = {**question(publisher.url), "until": "open", "allow": "1"}

    assert consent_page(browser, publisher.url).headers["location"].startswith("/login/")
    assert browser.post("/oauth/authorize", data=form).status_code in (302, 303, 401)
    assert exchanged(browser, publisher.url, "code").status_code == 400

    assert publisher.requests == []


@pytest.mark.parametrize(
    "rules, seconds",
    [
        ("", 3600),
        ("max-age=600", 600),
        ("public, max-age=0", 60),
        ("no-store", 60),
        ("max-age=99999999", 86_400),
    ],
)
def test_a_document_is_fetched_again_when_its_server_says(chat, browser, publisher, rules, seconds):
    describe(publisher, headers={**JSON, "Cache-Control": rules})
    consent_page(browser, publisher.url)

    chat.server.clock.move(seconds=seconds - 5)
    consent_page(browser, publisher.url)
    assert len(publisher.requests) == 1
    chat.server.clock.move(seconds=10)
    consent_page(browser, publisher.url)

    assert len(publisher.requests) == 2
