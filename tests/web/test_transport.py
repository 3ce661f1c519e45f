"""What keeps browsers on HTTPS and on our own host."""

import re
from typing import Any

import pytest
from tests.support.browser import Browser
from tests.support.people import Chat

HSTS = "Strict-Transport-Security"
PATHS = (
    "/",
    "/login/",
    "/nothing/here",
    "/api/v1/server_settings",
    "/api/v1/nothing",
    "/json/users",
)


@pytest.fixture
def secure(start_server: Any) -> Chat:
    return Chat.found(start_server(external_url="https://chat.example.com"), "")


def test_https_servers_send_hsts(secure, chat):
    for path in PATHS:
        assert Browser(secure).opens(path).headers[HSTS] == "max-age=31536000", path
        assert HSTS not in Browser(chat).opens(path).headers, path


@pytest.mark.parametrize("path", ["/login", "/accounts/find", "/health/", "/login?next=/x"])
def test_a_redirect_ignores_the_host_header(secure, chat, path):
    bare, _, query = path.partition("?")
    where = f"{bare[:-1] if bare.endswith('/') else bare + '/'}{query and '?' + query}"

    led = Browser(secure).opens(path, Host="evil.example")
    without = Browser(chat).opens(path)

    assert led.status in (307, 308)
    assert led.headers["Location"] == f"https://chat.example.com{where}"
    assert without.headers["Location"] == where


def test_a_path_that_looks_like_a_host_causes_no_redirect_to_it(chat):
    for path in ("//evil.example/login", "///login", "//login"):
        led = Browser(chat).opens(path)
        assert not led.headers.get("Location", "/").startswith("//"), path


def test_an_organization_is_redirected_to_its_own_address(start_server):
    server = start_server(external_url="https://chat.example.com")
    north = Chat.found(server, "north")
    Chat.found(server, "south")

    led = Browser(Chat(server, north.realm, "north.chat.example.com")).opens("/login")

    assert led.headers["Location"] == "https://north.chat.example.com/login/"


def test_no_answer_may_be_taken_for_another_type(chat):
    ana = chat.person("ana")
    page = chat.stranger.raw("GET", "/login/").body.decode()
    (script, *_) = re.findall(r"/static/[^\"' ]+", page)
    paths = [*PATHS, script, "/static/nothing.js", f"/avatar/{ana.id}", "/health", "/metrics"]

    for path in paths:
        assert ana.raw("GET", path).headers["x-content-type-options"] == "nosniff", path
    elsewhere = chat.stranger.raw("GET", "/login/", Host="elsewhere.localhost")
    assert elsewhere.headers["x-content-type-options"] == "nosniff"
