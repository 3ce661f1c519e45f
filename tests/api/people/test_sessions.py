"""Sessions: what a cookie gives access to, and what ends it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.browser import Browser
from tests.support.people import Chat
from tests.support.pictures import picture, uploads_to
from tests.support.waiting import eventually

from tertulia import actions, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.people.sessions import Session

SESAME = "open sesame"


@pytest.fixture
def ana(chat):
    return chat.person("ana", channels=["kitchen"])


def is_in(browser: Browser) -> bool:
    return browser.calls("GET", "/users/me").status == 200


def test_a_cookie_works_for_the_same_calls_as_a_key(chat, ana):
    browser = Browser.of(ana)

    browser.calls(
        "POST", "/messages", type="channel", to="kitchen", topic="lunch", content="Soup's on"
    ).succeeds()
    found = browser.calls("GET", "/messages", anchor="newest", num_before=1, num_after=0)

    assert found.succeeds()["messages"][0]["content"] == "<p>Soup's on</p>"
    assert not [name for name in found.headers if name.lower().startswith("access-control")]


def test_keys_and_cookies_have_separate_paths(chat, ana):
    browser = Browser.of(ana)

    by_key = ana.raw("GET", "/json/users/me", **{"Sec-Fetch-Site": "same-origin"})
    by_cookie = chat.stranger.raw(
        "GET", "/api/v1/users/me", Cookie=f"session={browser.cookies['session']}"
    )

    for response in (by_key, by_cookie):
        response.asks_to_log_in()
    # A Basic challenge would make a browser open its own dialog.
    assert by_key.headers["WWW-Authenticate"] == 'Session realm="zulip"'


def test_ones_own_key_requires_only_the_password(chat):
    ana, ben = chat.people("ana", "ben", password=SESAME)
    browser, outside = Browser.of(ana), Browser(chat)

    given = browser.calls("POST", "/fetch_api_key", password=SESAME).succeeds()

    assert (given["api_key"], given["email"], given["user_id"]) == (ana.key, ana.email, ana.id)
    for wrong in ({"password": "a guess"}, {"password": ""}, {}):
        browser.calls("POST", "/fetch_api_key", **wrong).fails("Password is incorrect.")
    # The key is the caller's own, whatever user is named.
    other = {"username": ben.email, "password": SESAME}
    named = browser.calls("POST", "/fetch_api_key", **other).succeeds()
    assert named["api_key"] == ana.key
    assert named["ignored_parameters_unsupported"] == ["username"]
    outside.calls("POST", "/fetch_api_key", **other).asks_to_log_in()
    assert browser.calls_from("cross-site", "POST", "/fetch_api_key", **other).status == 403
    acts = chat.person("boss", role="admin").get("/realm/audit_log").succeeds()["entries"]
    assert [each["actor_id"] for each in acts if each["act"] == "POST /fetch_api_key"] == [
        ana.id,
        ana.id,
    ]
    for _ in range(5):
        browser.calls("POST", "/fetch_api_key", password="a guess")
    assert browser.calls("POST", "/fetch_api_key", password=SESAME).status == 429


def test_without_local_passwords_a_session_is_enough_for_the_key(chat, ana):
    browser = Browser.of(ana)
    chat.refuse_passwords()

    assert browser.calls("POST", "/fetch_api_key").succeeds()["api_key"] == ana.key


@pytest.mark.parametrize(
    "method, headers, is_answered",
    [
        ("POST", {"Sec-Fetch-Site": "same-origin"}, True),
        ("POST", {"Sec-Fetch-Site": "none"}, True),
        ("POST", {"Origin": "http://{host}"}, True),
        ("POST", {"Sec-Fetch-Site": "cross-site"}, False),
        ("POST", {"Sec-Fetch-Site": "same-site"}, False),
        ("POST", {"Sec-Fetch-Site": "cross-site", "Origin": "http://{host}"}, False),
        ("POST", {"Origin": "https://{host}"}, False),
        ("POST", {"Origin": "http://evil.example"}, False),
        ("POST", {"Origin": "null"}, False),
        ("POST", {}, False),
        ("GET", {}, True),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, True),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, False),
        ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, False),
    ],
)
def test_other_sites_cannot_use_the_cookie(chat, ana, method, headers, is_answered):
    browser = Browser.of(ana)
    found = {name: value.format(host=chat.host) for name, value in headers.items()}
    path = "/json/users/me/status" if method == "POST" else "/json/users/me"
    sent = {"Host": chat.host, "Cookie": f"session={browser.cookies['session']}", **found}
    sent["Content-Type"] = "application/x-www-form-urlencoded"

    response = chat.server.client.raw(
        method, path, sent, b"status_text=x" if method == "POST" else None
    )

    assert response.status == (200 if is_answered else 403)
    if not is_answered:
        response.fails(
            "This request did not come from a page of ours", code="CSRF_FAILED", status=403
        )


def test_requests_that_another_site_can_cause_change_nothing(chat, ana):
    browser, path = Browser.of(ana), "/json/users/me/status"
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    body, sent = b"method=POST&status_text=x", {"Cookie": f"session={browser.cookies['session']}"}

    def sends(method, query="", content=None, **headers):
        expected = {"Host": chat.host, **sent, **link, **headers}
        return chat.server.client.raw(method, path + query, expected, content)

    followed = [
        sends("GET", "?method=POST&status_text=x"),
        sends("GET", "?status_text=x", **{"X-HTTP-Method-Override": "POST"}),
        sends("GET", content=body, **{"Content-Type": "application/x-www-form-urlencoded"}),
        sends("TRACE"),
    ]
    forms = [
        sends("POST", content=content, **{"Content-Type": kind})
        for kind, content in [
            ("text/plain", b'{"status_text": "x"}'),
            ("application/x-www-form-urlencoded", b'{"status_text": "x"}'),
            ("multipart/form-data; boundary=x", b"--x--"),
            ("application/json", b'{"status_text": "x"}'),
        ]
    ]
    requested = sends("OPTIONS", Origin="https://evil.example")
    head = sends("HEAD", **{"Sec-Fetch-Mode": "no-cors"})

    assert [each.status for each in followed] == [405] * 4
    assert [each.json["code"] for each in forms] == ["CSRF_FAILED"] * 4
    assert not [name for name in requested.headers if name.lower().startswith("access-control")]
    assert head.status in (403, 405)
    assert ana.get(f"/users/{ana.id}/status").succeeds()["status"] == {}


def test_a_form_field_cannot_turn_a_cross_site_post_into_a_get(chat, ana):
    browser = Browser.of(ana)

    response = browser.submits(
        "/json/users/me", {"method": "GET"}, **{"Sec-Fetch-Site": "cross-site"}
    )

    assert response.status == 403


def test_uploads_can_be_read_with_the_cookie(chat, ana):
    browser = Browser.of(ana)
    uploads_to(ana, "/users/me/avatar", picture()).succeeds()
    path = f"/avatar/{ana.id}"

    assert browser.opens(path, **{"Sec-Fetch-Site": "same-origin"}).status == 302
    assert Browser(chat).opens(path).status == 401
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert browser.opens(path, **embedded).status == 403


def test_users_list_and_end_their_sessions(chat, ana):
    first, second, third = (Browser.of(ana) for _ in range(3))
    Browser.of(chat.person("ben"))

    shown = second.calls("GET", "/users/me/sessions").succeeds()["sessions"]
    current = [each["is_current"] for each in shown]
    second.calls("DELETE", f"/users/me/sessions/{shown[0]['id']}").succeeds()

    assert (len(shown), sum(current)) == (3, 1)
    assert [is_in(each) for each in (first, second, third)] == [True, True, False]
    second.calls("DELETE", "/users/me/sessions").succeeds()
    assert [is_in(each) for each in (first, second, third)] == [False, True, False]
    assert len(ana.get("/users/me/sessions").succeeds()["sessions"]) == 1


def test_sessions_of_others_cannot_be_ended(chat, ana):
    browser = Browser.of(ana)
    number = ana.get("/users/me/sessions").succeeds()["sessions"][0]["id"]

    chat.person("eve").delete(f"/users/me/sessions/{number}").fails("No such session")

    assert is_in(browser)


def test_a_new_password_ends_all_other_sessions(chat):
    ana = chat.person("ana", password=SESAME)
    here, elsewhere = Browser.of(ana), Browser.of(ana)

    here.calls(
        "PATCH", "/settings", old_password=SESAME, new_password="lentils, always lentils"
    ).succeeds()

    assert (is_in(here), is_in(elsewhere)) == (True, False)
    ana.get("/users/me").succeeds()


@pytest.mark.parametrize("ending", ["set_password", "deactivate"])
def test_changes_by_the_command_line_end_sessions(chat, ana, ending):
    browser = Browser.of(ana)
    assert is_in(browser)

    if ending == "set_password":
        chat.write(actions.people.users.set_password, ana.id, "another hash")
    else:
        chat.write(actions.people.users.deactivate, ana.id)
        chat.write(actions.people.users.reactivate, ana.id)

    assert not is_in(browser)
    assert chat.read(storage.people.sessions.of_user, ana.id, 0) == []


def test_a_session_ends_two_weeks_after_its_last_use(chat, ana):
    used, unused = Browser.of(ana), Browser.of(ana)

    for _ in range(3):
        chat.server.clock.move(hours=7 * 24)
        response = used.calls("GET", "/users/me")
        assert response.headers["Set-Cookie"].startswith(f"session={used.cookies['session']};")
        assert "Set-Cookie" not in used.calls("GET", "/users/me").headers

    assert is_in(used)
    assert not is_in(unused)
    chat.write(actions.people.sessions.delete_expired)
    assert len(chat.read(storage.people.sessions.of_user, ana.id, 0)) == 1


def test_a_session_is_valid_on_every_server_and_ends_on_all(kind, databases, start_server):
    chat = Chat.found(start_server(), "")
    ana = chat.person("ana")
    browser = Browser.of(ana)
    assert is_in(browser)

    # As another server, or the command line, does it.
    elsewhere = BlockingDatabase.at(chat.server.url)
    elsewhere.of(chat.realm.id).write(actions.people.sessions.end_all, ana.id)
    chat.server.catch_up()

    assert not is_in(browser)


def test_a_session_is_read_once_from_the_database(chat, ana, monkeypatch):
    browser = Browser.of(ana)
    requested: list[bytes] = []
    read = storage.people.sessions.find

    def find(tx: Tx, fingerprint: bytes) -> Session | None:
        requested.append(fingerprint)
        return read(tx, fingerprint)

    monkeypatch.setattr(storage.people.sessions, "find", find)

    assert all(is_in(browser) for _ in range(5))

    assert len(requested) == 1


def test_a_parked_poll_of_a_session_is_answered(chat, ana):
    browser = Browser.of(ana)
    queue_id = browser.calls("POST", "/register", event_types=["message"]).succeeds()["queue_id"]

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(browser.calls, "GET", "/events", queue_id=queue_id, last_event_id=-1)
        eventually(lambda: chat.server.is_parked(queue_id))
        soup = ana.says("Soup's on", to="kitchen > lunch")

    (event,) = waiting.result().succeeds()["events"]
    assert event["message"]["id"] == soup.id


def test_a_parked_poll_returns_nothing_after_the_end(chat, ana):
    browser = Browser.of(ana)
    queue_id = browser.calls("POST", "/register", event_types=["message"]).succeeds()["queue_id"]

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(browser.calls, "GET", "/events", queue_id=queue_id, last_event_id=-1)
        eventually(lambda: chat.server.is_parked(queue_id))
        chat.write(actions.people.sessions.end_all, ana.id)
        ana.says("Soup's on", to="kitchen > lunch")

    waiting.result().asks_to_log_in()


def test_a_stolen_database_gives_no_session(chat, ana):
    token = Browser.of(ana).cookies["session"]

    rows = chat.read(lambda tx: tx.all("SELECT * FROM session WHERE realm_id = :realm"))

    assert token.encode() not in b"".join(bytes(row["fingerprint"]) for row in rows)
    assert token not in str(
        [tuple(str(row[name]) for name in ("agent", "address")) for row in rows]
    )


def test_another_organization_does_not_accept_the_cookie(chat, ana):
    browser = Browser.of(ana)

    elsewhere = Browser(Chat.found(chat.server), dict(browser.cookies))

    assert not is_in(elsewhere)


def test_the_number_of_sessions_is_limited(chat, ana, monkeypatch):
    monkeypatch.setattr("tertulia.domain.limits.MAX_SESSIONS", 2)
    first, second, third = (Browser.of(ana) for _ in range(3))

    assert [is_in(each) for each in (first, second, third)] == [False, True, True]
