"""Authentication: every way to be accepted and to be refused."""

import base64

import pytest
from tests.support.people import Chat, basic
from tests.support.waiting import eventually

from tertulia import actions
from tertulia.domain.people.user import NewUser

CHALLENGE = 'Basic realm="zulip"'


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "header, msg",
    [
        (None, "Not logged in: API authentication or user session required"),
        ("Basic", "Invalid authorization header for basic auth"),
        ("Basic !!!", "Invalid authorization header for basic auth"),
        (f"Basic {encoded('no colon')}", "Invalid authorization header for basic auth"),
        ("Basic /w==", "Invalid authorization header for basic auth"),
        (basic("ana@example.com", "short"), "Malformed API key"),
        (basic("ana@example.com", "a" * 31 + "-"), "Malformed API key"),
        (basic("ana@example.com", "a" * 33), "Malformed API key"),
        (basic("ana@example.com", "a" * 32), "Invalid API key"),
    ],
)
def test_invalid_credentials_are_refused(chat, header, msg):
    chat.person("ana")
    caller = chat.stranger if header is None else chat.stranger.with_headers(Authorization=header)

    response = caller.get("/users/me")

    response.fails(msg, code="UNAUTHORIZED", status=401)
    assert response.headers["WWW-Authenticate"] == CHALLENGE


@pytest.mark.parametrize("header", ["Bearer abc", "Digest a=b"])
def test_another_scheme_is_refused_as_such(chat, header):
    response = chat.stranger.with_headers(Authorization=header).get("/users/me")

    response.fails("This endpoint requires HTTP basic authentication.")


def test_a_key_works_only_in_its_organization(chat, ana, ben):
    response = chat.stranger.with_headers(Authorization=basic(ben.email, ana.key)).get("/users/me")

    response.fails("Invalid API key", code="UNAUTHORIZED", status=401)


@pytest.mark.parametrize(
    "write",
    [
        lambda ana: basic(ana.email.upper(), ana.key),
        lambda ana: basic(f" {ana.email} ", f" {ana.key} "),
        lambda ana: basic(ana.email, ana.key).replace("Basic", "bASIC"),
        lambda ana: basic(ana.api_email, ana.key),
        lambda ana: basic(ana.api_email.upper(), ana.key),
    ],
    ids=["capitals", "white space", "scheme in any case", "API address", "API address in capitals"],
)
def test_credentials_may_be_written_in_several_ways(chat, ana, write):
    me = chat.stranger.with_headers(Authorization=write(ana)).get("/users/me").succeeds()

    assert me["user_id"] == ana.id


def test_a_key_in_the_query_is_no_credential(chat, ana):
    response = chat.stranger.get("/users/me", api_key=ana.key)

    response.asks_to_log_in()


def test_a_deactivated_account_gets_its_own_error(chat, ana):
    chat.write(actions.people.users.deactivate, ana.id)

    response = ana.get("/users/me")

    response.fails("Account is deactivated", code="UNAUTHORIZED", status=401)


def test_an_old_key_stops_working_at_once(chat, ana):
    fresh = chat.write(actions.people.users.reset_key, chat.server.vault, ana.id)

    ana.get("/users/me").fails("Invalid API key", code="UNAUTHORIZED", status=401)

    ana.with_headers(Authorization=basic(ana.email, fresh)).get("/users/me").succeeds()


def test_a_deactivated_organization_accepts_no_one(chat, ana):
    chat.close()

    response = ana.get("/users/me")

    response.fails("This organization has been deactivated", code="UNAUTHORIZED", status=401)


@pytest.mark.parametrize("method, path", [("GET", "/users/me"), ("POST", "/register")])
def test_an_incoming_webhook_may_only_send(chat, in_kitchen, ana, method, path):
    hook = chat.person("hook", bot="incoming-webhook", owner=ana)

    response = hook.request(method, path)

    msg = "This API is not available to incoming webhook bots."
    response.fails(msg, code="UNAUTHORIZED", status=401)
    hook.says("The oven is hot", to="kitchen > oven")


def test_the_host_selects_the_organization(chat):
    other = Chat.found(chat.server)
    ana, eve = chat.person("ana"), other.person("eve")

    response = ana.with_headers(Host=other.host).get("/users/me")

    msg = "Account is not associated with this subdomain"
    response.fails(msg, code="UNAUTHORIZED", status=401)
    assert eve.get("/users/me").succeeds()["user_id"] == eve.id
    assert ana.with_headers(Host=f"{chat.host}:9009").get("/users/me").succeeds()
    assert ana.with_headers(Host=chat.host.upper()).get("/users/me").succeeds()


def test_the_same_address_may_be_in_two_organizations(chat):
    other = Chat.found(chat.server)
    here, there = chat.person("ana"), other.person("ana")

    assert here.email == there.email
    assert here.get("/users/me").succeeds()["user_id"] == here.id
    assert there.get("/users/me").succeeds()["user_id"] == there.id


def test_an_unknown_host_accepts_no_one(chat, ana):
    nowhere = "nowhere.localhost"

    response = ana.with_headers(Host=nowhere).get("/users/me")

    msg = "Account is not associated with this subdomain"
    response.fails(msg, code="UNAUTHORIZED", status=401)
    stranger = chat.stranger.with_headers(Host=nowhere)
    stranger.get("/users/me").asks_to_log_in()


def test_a_single_organization_answers_on_any_host(own_chat):
    ana = own_chat.person("ana")

    for host in ("127.0.0.1:9009", "localhost", "chat.example.com", "[::1]:9009"):
        assert ana.with_headers(Host=host).get("/users/me").succeeds()["user_id"] == ana.id


def test_credentials_and_roles_are_checked_before_parameters(chat, gus):
    stranger = chat.stranger.post("/users/me/subscriptions", subscriptions="nonsense")
    guest = gus.post("/users/me/subscriptions", subscriptions="nonsense")

    stranger.asks_to_log_in()
    guest.fails("Not allowed for guest users")


def test_a_user_added_by_the_command_line_is_known_soon(chat):
    new = NewUser("cleo@example.com", "From Outside")

    _, key = chat.write_from_outside(actions.people.account_creation.add, chat.server.vault, new)

    caller = chat.stranger.with_headers(Authorization=basic(new.email, key))
    eventually(lambda: caller.get("/users/me").status == 200)
