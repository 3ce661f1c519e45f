"""POST /fetch_api_key: a password for a key, without hints for guessing."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.people import Chat

from tertulia import actions, domain
from tertulia.errors.http import RateLimited

WRONG = "Your username or password is incorrect"


@pytest.fixture
def ana(chat):
    return chat.person("ana", password="open sesame")


def logs_in(chat, username, password):
    return chat.stranger.post("/fetch_api_key", username=username, password=password)


def test_a_password_returns_the_key(chat, ana):
    for username in (ana.email, ana.email.upper()):
        response = logs_in(chat, username, "open sesame").succeeds()

        assert (response["api_key"], response["email"], response["user_id"]) == (
            ana.key,
            ana.email,
            ana.id,
        )
    # No header is needed, and a wrong one is ignored.
    astray = chat.stranger.with_headers(Authorization="Basic !!!")
    astray.post("/fetch_api_key", username=ana.email, password="open sesame").succeeds()


def test_the_returned_key_works(chat, ana):
    fresh = chat.write(actions.people.users.reset_key, chat.server.vault, ana.id)

    response = logs_in(chat, ana.email, "open sesame").succeeds()

    assert response["api_key"] == fresh


@pytest.mark.parametrize(
    "username, password",
    [
        ("ana@example.com", "open sesam"),
        ("ana@example.com", ""),
        ("ana@example.com", "open sesame" * 1000),
        ("nobody@example.com", "open sesame"),
        ("ben@example.com", "open sesame"),
        ("helper@example.com", "open sesame"),
        ("notification-bot@tertulia.invalid", "open sesame"),
    ],
    ids=["wrong", "empty", "long", "unknown", "without a password", "a bot", "the system's bot"],
)
def test_all_failures_get_the_same_answer(chat, ana, username, password):
    chat.person("ben")
    chat.person("helper", bot="generic", owner=ana)

    response = logs_in(chat, username, password)

    assert response.fails(WRONG, code="AUTHENTICATION_FAILED", status=401).keys() == {
        "result",
        "msg",
        "code",
    }
    assert "WWW-Authenticate" not in response.headers


def test_the_public_address_is_no_login_name(chat, ana):
    response = logs_in(chat, ana.api_email, "open sesame")

    response.fails(WRONG, code="AUTHENTICATION_FAILED", status=401)


@pytest.mark.parametrize(
    "params, msg",
    [
        ({}, "Missing 'username' argument"),
        ({"password": "x"}, "Missing 'username' argument"),
        ({"username": "ana@example.com"}, "Missing 'password' argument"),
        ({"username": "ana", "password": "x"}, "Enter a valid email address."),
    ],
)
def test_invalid_logins_are_refused(chat, params, msg):
    chat.stranger.post("/fetch_api_key", **params).fails(msg)


def test_a_deactivated_account_is_reported_only_with_the_right_password(chat, ana):
    chat.write(actions.people.users.deactivate, ana.id)

    logs_in(chat, ana.email, "open sesame").fails(
        "Account is deactivated", code="USER_DEACTIVATED", status=401
    )
    logs_in(chat, ana.email, "a guess").fails(WRONG, code="AUTHENTICATION_FAILED", status=401)


def test_passwords_can_be_switched_off(chat, ana):
    chat.refuse_passwords()

    logs_in(chat, ana.email, "open sesame").fails(
        "Password authentication is disabled in this organization",
        code="PASSWORD_AUTH_DISABLED",
        status=401,
    )


def test_a_deactivated_organization_admits_no_one(chat, ana):
    chat.close()

    logs_in(chat, ana.email, "open sesame").fails(
        "This organization has been deactivated", code="REALM_DEACTIVATED", status=401
    )


def test_an_unknown_host_admits_no_one(chat):
    stranger = chat.stranger.with_headers(Host="nowhere.localhost")

    response = stranger.post("/fetch_api_key", username="ana@example.com", password="x")

    response.fails("Invalid subdomain", code="NONEXISTENT_SUBDOMAIN", status=404)


def test_an_account_of_another_organization_is_unknown(chat):
    other = Chat.found(chat.server)
    eve = other.person("eve", password="open sesame")

    logs_in(chat, eve.email, "open sesame").fails(WRONG, code="AUTHENTICATION_FAILED", status=401)


@pytest.mark.parametrize("username", ["ana@example.com", "nobody@example.com"])
def test_after_five_failures_a_name_is_locked(chat, username):
    chat.person("ana", password="open sesame")
    for _ in range(5):
        logs_in(chat, username, "a guess").fails(WRONG, code="AUTHENTICATION_FAILED", status=401)

    reply = logs_in(chat, username.upper(), "open sesame")

    response = reply.fails("API usage exceeded rate limit", code="RATE_LIMIT_HIT", status=429)
    assert 0 < response["retry-after"] <= 1800
    chat.server.clock.move(minutes=31)
    assert logs_in(chat, "ana@example.com", "open sesame").succeeds()


def test_of_simultaneous_guesses_five_are_checked(chat, ana, monkeypatch):
    looked_at: list[str] = []

    def look(password: str, known: str | None) -> bool:
        looked_at.append(password)
        return False

    monkeypatch.setattr(domain.people.passwords, "matches", look)

    with ThreadPoolExecutor(20) as guessers:
        responses = list(guessers.map(lambda n: logs_in(chat, ana.email, f"guess {n}"), range(20)))

    assert len(looked_at) == 5
    assert sorted(response.status for response in responses) == [401] * 5 + [429] * 15


def test_failures_survive_a_restart(own_chat):
    ana = own_chat.person("ana", password="open sesame")
    for _ in range(5):
        logs_in(own_chat, ana.email, "a guess")

    own_chat.server.restart()

    assert logs_in(own_chat, ana.email, "open sesame").status == 429


def test_a_success_resets_failures(chat, ana):
    for _ in range(3):
        for _ in range(2):
            logs_in(chat, ana.email, "a guess")
        logs_in(chat, ana.email, "open sesame").succeeds()


def tries(tx, times, address):
    """Make attempts from an address and return the time to wait, if there were too many."""
    try:
        for _ in range(times):
            actions.people.password_attempts.count(tx, b"ana", address)
    except RateLimited as limit:
        return limit.values["retry_after"]
    return 0


def test_guesses_from_another_address_lock_out_no_one(chat):
    stranger, ana = "192.0.2.1", "192.0.2.2"

    assert chat.write(tries, 5, stranger) == 0
    assert 0 < chat.write(tries, 1, stranger) <= 1800
    assert chat.write(tries, 1, ana) == 0


def test_guesses_from_many_addresses_are_limited(chat):
    waits = [chat.write(tries, 5, f"192.0.2.{number}") for number in range(21)]

    assert waits[:20] == [0] * 20
    assert 0 < waits[20] <= 1800
    chat.server.clock.move(minutes=31)
    chat.write(actions.people.password_attempts.delete_expired)
    assert (
        chat.read(
            lambda tx: tx.value(
                "SELECT count(*) AS value FROM password_attempt WHERE realm_id = :realm"
            )
        )
        == 0
    )


def test_password_changes_have_the_same_limit(ana):
    for _ in range(5):
        ana.patch("/settings", old_password="a guess", new_password="something else").fails(
            "Wrong password!"
        )

    response = ana.patch("/settings", old_password="open sesame", new_password="something else")

    response.fails("API usage exceeded rate limit", code="RATE_LIMIT_HIT", status=429)
