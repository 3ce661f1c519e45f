"""One-time things work once, even if two servers receive them at the same moment."""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from threading import Barrier

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from tests.support.browser import Browser
from tests.support.client import Reply
from tests.support.people import Chat, Person
from tests.support.server import Server

from tertulia import actions, domain, features, storage
from tertulia.config.login_providers import JwtIssuer
from tertulia.domain.people.agents import GrantRequest
from tertulia.domain.people.invitations import Terms

SESAME, LENTILS = "open sesame", "lentils, always lentils"
KEY_TEXT = "a secret that a program shares with us"
CODE = "/accounts/login/code/"
SERVERS = 2
GUESSERS = 20

Ask = Callable[[Browser], Reply]


@pytest.fixture
def chats(start_server: Callable[..., Server]) -> Iterator[list[Chat]]:
    """One organization, on two servers."""
    first = start_server(jwt=(JwtIssuer(key_text=KEY_TEXT, new_people="anybody"),))
    chat = Chat.found(first, "")
    second = Server(first.url, first.folder, first.settings).start()
    yield [chat, Chat(second, chat.realm, chat.host)]
    second.stop()


def at_once(chats: list[Chat], ask: Ask, cookies: dict[str, str] | None = None) -> list[int]:
    """The answers of every server, in order."""
    for chat in chats:
        chat.server.catch_up()
    ready = Barrier(SERVERS)

    def send(chat: Chat) -> int:
        browser = Browser(chat, cookies=dict(cookies or {}))
        ready.wait(30)
        return ask(browser).status

    with ThreadPoolExecutor(SERVERS) as threads:
        return sorted(threads.map(send, chats))


def choosing(path: str, name: str = "Cleo") -> Ask:
    fields = {"full_name": name, "password": LENTILS}
    return lambda browser: browser.submits(path, fields)


def waits_for_code(chat: Chat, ana: Person) -> tuple[dict[str, str], str]:
    """A browser after the right password: its cookies and the state of its login."""
    browser = Browser(chat)
    page = browser.logs_in(ana.email, SESAME).body.decode()
    (state,) = re.findall('name="state" value="([^"]*)"', page)
    return browser.cookies, state


def test_a_one_time_link_works_once_on_two_servers(chats):
    chat, vault = chats[0], chats[0].server.vault
    ana = chat.person("ana", password=SESAME)
    invite = features.invitations.create_as_operator
    key = chat.write(invite, vault, "cleo@example.com", Terms(), None)
    reset = chat.write(actions.people.password_reset.create_link, vault, None, ana.id)

    joined = at_once(chats, choosing(f"/join/{key}/"))
    chosen = at_once(chats, choosing(f"/accounts/password/reset/{reset}/"))

    assert joined[0] == chosen[0] == 303
    assert joined[1] in (400, 404)
    assert chosen[1] == 404
    assert len(chat.read(storage.people.users.human_ids)) == 2


def test_a_code_works_once_on_two_servers(chats):
    chat = chats[0]
    ana = chat.person("ana", password=SESAME)
    secret = domain.people.second_factors.new_secret()
    step = int(chat.server.clock() / domain.people.second_factors.STEP_SECONDS)
    code = domain.people.second_factors.code_at(secret, step)
    app = {"password": SESAME, "secret": secret, "code": code}
    codes = ana.post("/users/me/second_factor/app", **app).succeeds()["recovery_codes"]
    logins = [waits_for_code(chat, ana) for _ in range(SERVERS)]

    def with_login_of_its_own(browser: Browser) -> Reply:
        browser.cookies, state = logins[chats.index(browser.chat)]
        return browser.submits(CODE, {"state": state, "code": codes[0]})

    by_code = at_once(chats, with_login_of_its_own)
    cookies, state = waits_for_code(chat, ana)
    by_state = at_once(
        chats, lambda each: each.submits(CODE, {"state": state, "code": codes[1]}), cookies
    )

    assert by_code == [303, 401]
    assert by_state == [303, 400]
    assert ana.get("/users/me/second_factor").succeeds()["recovery_codes_left"] == 8


def test_a_new_sso_user_who_arrives_twice_at_once_gets_one_account(chats):
    claims = {"email": "zoe@example.com", "exp": int(time.time()) + 600}
    key = OctKey.import_key(KEY_TEXT)
    token = jwt.encode({"alg": "HS256"}, claims, key, algorithms=["HS256"])

    came = at_once(chats, lambda each: each.submits("/accounts/login/jwt/", {"token": token}))

    assert came == [303, 303]
    assert len(chats[0].read(storage.people.users.human_ids)) == 1


def test_of_simultaneous_guesses_on_two_servers_five_are_checked(chats, monkeypatch):
    ana = chats[0].person("ana", password=SESAME)
    looked_at: list[str] = []
    monkeypatch.setattr(
        domain.people.passwords, "matches", lambda password, _: looked_at.append(password)
    )
    ready = Barrier(GUESSERS)

    def guess(number):
        chat, params = chats[number % SERVERS], {"username": ana.email, "password": str(number)}
        ready.wait(30)
        return chat.stranger.post("/fetch_api_key", **params).status

    with ThreadPoolExecutor(GUESSERS) as guessers:
        responses = Counter(guessers.map(guess, range(GUESSERS)))

    assert responses == {401: 5, 429: GUESSERS - 5}
    assert len(looked_at) == 5


def test_an_authorization_code_works_once_on_two_servers(chats):
    chat = chats[0]
    chat.set("enable_agent_access", True)
    ana = chat.person("ana", channels=["kitchen"])
    form = {"client_id": "", "redirect_uri": "http://127.0.0.1/", "code_verifier": "v" * 64}
    ends: Counter[tuple[int, ...]] = Counter()
    for _ in range(10):
        client, code = chat.write(_allowed, ana.record, chat.channel("kitchen").id)
        params = {**form, "grant_type": "authorization_code", "client_id": client, "code": code}
        found = at_once(chats, methodcaller("submits", "/oauth/token", params))
        ends[tuple(found)] += 1

    assert ends == {(200, 400): 10}
    # The second use may be a theft, so none of the grants is left.
    assert chat.read(storage.people.agents.grants, chat.server.clock()) == []


def test_a_refresh_token_sent_twice_at_once_gives_one_pair_of_tokens_on_two_servers(chats):
    chat = chats[0]
    chat.set("enable_agent_access", True)
    ana = chat.person("ana", channels=["kitchen"])
    for _ in range(5):
        client, code = chat.write(_allowed, ana.record, chat.channel("kitchen").id)
        first = chat.write(_redeemed, client, code)
        form = {"grant_type": "refresh_token", "client_id": client, "refresh_token": first.refresh}
        answers: list[dict[str, str]] = []

        def refresh(browser, form=form, answers=answers):
            reply = browser.submits("/oauth/token", form)
            answers.append(json.loads(reply.body))
            return reply

        assert at_once(chats, refresh) == [200, 200]
        assert len({each["refresh_token"] for each in answers}) == 1
        assert len({each["access_token"] for each in answers}) == 1
        assert chat.read(_usable_refresh_tokens, client) == 1

        # Of two holders of the new token the later one ends the grant.
        chat.write(_replaced, client, answers[0]["refresh_token"])
        again = {**form, "refresh_token": answers[1]["refresh_token"]}
        assert Browser(chats[1]).submits("/oauth/token", again).status == 400
        assert chat.read(storage.people.agents.grants, chat.server.clock()) == []


def _redeemed(tx, client, code):
    return actions.people.agents.redeem(tx, client, code, "http://127.0.0.1/", "v" * 64, "")


def _replaced(tx, client, token):
    """Exchange the token, more than a minute ago."""
    assert actions.people.agents.refresh(tx.at(tx.now - 61), client, token, "") is not None


def _usable_refresh_tokens(tx, client):
    return tx.value(
        "SELECT count(*) AS value FROM agent_token t JOIN agent_grant g ON g.id = t.grant_id"
        " WHERE t.realm_id = :realm AND g.client_id = :client AND t.kind = 'refresh'"
        " AND t.replaced_at IS NULL",
        client=client,
    )


def _allowed(tx, user, channel_id):
    """A program and its code."""
    agents, back = actions.people.agents, "http://127.0.0.1/"
    client = agents.register(tx, "Helper", [back], "")
    wish = GrantRequest({channel_id: True}, False, False, None)
    return client.id, agents.allow(tx, user, client, wish, back, agents.challenge_of("v" * 64))
