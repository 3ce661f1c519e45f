"""OAuth for agents: registration, consent, tokens, and what a grant allows."""

import hashlib
import re
import subprocess
from datetime import UTC, datetime
from ipaddress import ip_network
from urllib.parse import urlencode

import httpx2
import msgspec
import pytest
from tests.support.cli_runner import Terminal, clean_environment
from tests.support.forkserver import COMMAND
from tests.support.oauth import (
    BACK,
    PASSWORD,
    VERIFIER,
    agent_of,
    allowed,
    call_after_consent,
    choice,
    exchanged,
    logged_in,
    question,
    refreshed,
    registered,
)
from tests.support.people import Chat
from tests.support.server import SECRET
from tests.support.waiting import eventually

from tertulia import actions, features, storage


@pytest.fixture
def ana(chat):
    chat.set("enable_agent_access", True)
    return chat.person("ana", password=PASSWORD, channels=["kitchen", "garden"])


@pytest.fixture
def browser(chat, ana):
    with logged_in(chat, ana) as client:
        yield client


def agent_with(chat, browser, picked):
    client_id = registered(browser)
    code = allowed(browser, client_id, picked)["code"]
    tokens = exchanged(browser, client_id, code).json()
    return agent_of(chat, tokens)


def test_the_consent_page_says_who_asks_for_what(chat, browser):
    client_id = registered(browser)
    requested = question(client_id, scope="read channel:kitchen")

    page = browser.get(f"/oauth/authorize?{urlencode(requested)}")

    assert page.status_code == 200
    assert "Subtitle Helper wants to work for you in" in page.text
    assert "Everything it writes is marked “via Subtitle Helper”." in page.text
    assert "127.0.0.1" in page.text
    checked = re.findall(r'name="channel_(\d+)" checked', page.text)
    assert checked == [str(chat.channel("kitchen").id)]
    assert "form-action 'self' http://127.0.0.1:9999;" in page.headers["content-security-policy"]


def test_a_request_of_an_unknown_program_is_explained_in_the_language_of_the_user(browser):
    headers = {"Accept-Language": "fr"}
    wrong = {"client_id": registered(browser), "redirect_uri": "http://127.0.0.1/other"}

    unknown = browser.get("/oauth/authorize?client_id=nobody", headers=headers)
    elsewhere = browser.get(f"/oauth/authorize?{urlencode(wrong)}", headers=headers)

    assert unknown.status_code == elsewhere.status_code == 400
    assert "Ce programme n’est pas enregistré ici." in unknown.text
    assert "une adresse qu’il n’a pas enregistrée" in elsewhere.text


def test_a_browser_without_a_session_logs_in_first(chat, browser):
    requested = question(registered(browser))
    del browser.headers["Cookie"]
    browser.cookies.clear()

    found = browser.get(f"/oauth/authorize?{urlencode(requested)}")

    assert found.status_code == 303
    assert found.headers["location"].startswith("/login/?next=%2Foauth%2Fauthorize")


def test_an_agent_reads_and_writes_where_it_was_allowed(chat, ana, browser):
    agent = agent_with(chat, browser, choice(chat, kitchen="write", garden="read"))
    hidden = chat.person("ben", channels=["cellar"]).says("wine", to="cellar > red")
    ana.joins("cellar")
    seed = ana.says("seed", to="garden > beds")

    sent = agent.call("send_message", channel="kitchen", topic="lunch", text="Soup").succeeds()
    read = agent.call("read_topic", channel="garden", topic="beds").succeeds()
    listed = agent.call("list_channels").succeeds()["channels"]

    message = ana.sees(sent["message_id"])
    assert message["sender_id"] == ana.id
    assert re.fullmatch(r"agent \d+: Subtitle Helper", message["client"])
    assert [each["id"] for each in read["messages"]] == [seed.id]
    assert {each["name"]: each["may_write"] for each in listed} == {
        "kitchen": True,
        "garden": False,
    }
    for refused in (
        agent.call("send_message", channel="garden", topic="beds", text="no"),
        agent.call("send_message", to=[ana.id], text="no"),
        agent.call("reply", message_id=seed.id, text="no"),
        agent.call("react", message_id=seed.id, emoji="tada"),
        agent.call("read_topic", channel="cellar", topic="red"),
        agent.call("send_message", channel="cellar", topic="red", text="no"),
        agent.call("reply", message_id=hidden.id, text="no"),
        agent.call("find_people", name="ben"),
        agent.call("edit_message", message_id=ana.says("mine", to="kitchen > x").id, text="no"),
    ):
        assert refused.fails()


def test_the_consent_form_ignores_a_channel_id_out_of_range(chat, browser):
    picked = {**choice(chat, kitchen="read"), f"channel_{'9' * 40}": "on"}

    agent = agent_with(chat, browser, picked)

    listed = agent.call("list_channels").succeeds()["channels"]
    assert [each["name"] for each in listed] == ["kitchen"]


def test_direct_messages_are_read_only_if_allowed(chat, ana, browser):
    secret = chat.person("ben").says("psst", to=[ana])
    without = agent_with(chat, browser, choice(chat, kitchen="write"))
    granted = agent_with(chat, browser, {"direct_messages": "on"})

    assert without.call("list_unread").succeeds()["topics"] == []
    assert without.call("reply", message_id=secret.id, text="no").fails() == "Invalid message(s)"
    (found,) = granted.call("list_unread").succeeds()["topics"]
    assert found["direct_message_with"] == ["Ben"]
    assert granted.call("reply", message_id=secret.id, text="no").fails()


def test_a_grant_ends_when_it_is_revoked(chat, ana, browser):
    client_id, tokens = granted_for_an_hour(chat, browser)
    agent = agent_of(chat, tokens)
    agent.call("list_channels").succeeds()

    browser.post("/oauth/revoke", data={"client_id": client_id, "token": tokens["refresh_token"]})

    assert status_of(agent) == 401
    assert refreshed(browser, client_id, tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_grant_ends_at_its_time(chat, ana, browser):
    client_id, tokens = granted_for_an_hour(chat, browser)
    agent = agent_of(chat, tokens)
    chat.server.clock.move(minutes=59)
    assert status_of(agent) == 200

    chat.server.clock.move(minutes=2)

    assert status_of(agent) == 401
    assert refreshed(browser, client_id, tokens["refresh_token"]).json()["error"] == "invalid_grant"


def granted_for_an_hour(chat, browser):
    """The id of a new client, and its tokens."""
    client_id = registered(browser)
    picked = {**choice(chat, kitchen="write"), "until": "hour"}
    return client_id, exchanged(
        browser, client_id, allowed(browser, client_id, picked)["code"]
    ).json()


def status_of(agent):
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return httpx2.post(agent.url, headers=agent.headers, json=body, verify=False).status_code


def test_agents_of_a_deactivated_user_stay_ended_after_the_reactivation(chat, browser, ana, owner):
    client_id = registered(browser)
    code = allowed(browser, client_id, choice(chat, kitchen="read"))["code"]
    tokens = exchanged(browser, client_id, code).json()
    agent = agent_of(chat, tokens)
    assert status_of(agent) == 200

    owner.delete(f"/users/{ana.id}").succeeds()
    assert status_of(agent) == 401
    owner.post(f"/users/{ana.id}/reactivate").succeeds()

    assert status_of(agent) == 401
    assert refreshed(browser, client_id, tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_an_administrator_who_renews_a_key_ends_the_agents_of_the_user(chat, browser, ana):
    agent = agent_with(chat, browser, choice(chat, kitchen="read"))
    administrator = chat.person("ada", role="admin")

    administrator.post(f"/users/{ana.id}/api_key/regenerate").succeeds()

    assert status_of(agent) == 401


def test_refresh_tokens_rotate_and_a_stolen_one_ends_the_grant(chat, browser, ana):
    client_id = registered(browser)
    code = allowed(browser, client_id, choice(chat, kitchen="read"))["code"]
    first = exchanged(browser, client_id, code).json()
    second = refreshed(browser, client_id, first["refresh_token"]).json()
    lost = refreshed(browser, client_id, first["refresh_token"])
    assert lost.status_code == 200
    assert lost.json()["refresh_token"] == second["refresh_token"]
    assert status_of(agent_of(chat, lost.json())) == 200
    assert second["refresh_token"] != first["refresh_token"]
    assert status_of(agent_of(chat, second)) == 200

    chat.write(_age_tokens)
    stolen = refreshed(browser, client_id, first["refresh_token"])

    assert stolen.json()["error"] == "invalid_grant"
    assert status_of(agent_of(chat, second)) == 401


def _age_tokens(tx):
    tx.execute("UPDATE agent_token SET replaced_at = replaced_at - 61 WHERE realm_id = :realm")


def test_a_code_works_once_and_only_for_the_program_that_asked(chat, browser):
    client_id, other = registered(browser), registered(browser)
    picked = choice(chat, kitchen="read")
    code = allowed(browser, client_id, picked)["code"]

    for wrong in (
        {"code_verifier": "w" * 64},
        {"redirect_uri": "http://127.0.0.1:9999/other"},
    ):
        assert exchanged(browser, client_id, code, **wrong).json()["error"] == "invalid_grant"
    assert exchanged(browser, client_id, "nothing").json()["error"] == "invalid_grant"
    assert exchanged(browser, other, code).json()["error"] == "invalid_grant"
    tokens = exchanged(browser, client_id, code).json()
    assert status_of(agent_of(chat, tokens)) == 200
    assert exchanged(browser, client_id, code).status_code == 400
    assert status_of(agent_of(chat, tokens)) == 401, "a code that is used twice ends the grant"


def test_a_program_of_oauth_2_1_does_not_repeat_its_address(chat, browser):
    client_id = registered(browser)
    code = allowed(browser, client_id, choice(chat, kitchen="read"))["code"]
    form = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "code_verifier": VERIFIER,
    }

    tokens = browser.post("/oauth/token", data=form).json()

    assert status_of(agent_of(chat, tokens)) == 200


@pytest.mark.parametrize(
    "uri, good",
    [
        ("https://agent.example/back", True),
        ("http://localhost:1234/back", True),
        ("com.example.app:/back", True),
        ("http://agent.example/back", False),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("https://agent.example/back#part", False),
        ("https://user:word@agent.example/", False),
        ("http://127.0.0.1.evil.example/", False),
        ("https://例え.example/", False),
    ],
)
def test_addresses_are_checked_when_a_program_registers(browser, uri, good):
    found = browser.post("/oauth/register", json={"redirect_uris": [uri]})
    assert found.status_code == (201 if good else 400)


def test_programs_that_strangers_register_keep_out_no_other(chat, browser, monkeypatch):
    monkeypatch.setattr(actions.people.agents, "MAX_CLIENTS", 2)
    used = registered(browser)
    allowed(browser, used, choice(chat, kitchen="read"))
    for _ in range(3):
        newest = registered(browser)

    for client_id in (used, newest):
        page = browser.get(f"/oauth/authorize?{urlencode(question(client_id))}")
        assert page.status_code == 200


def test_registrations_from_one_network_displace_no_program_of_another(start_server):
    settings = {"trusted_proxies": (ip_network("127.0.0.1"),), "rate_limit_anonymous": None}
    chat = Chat.found(start_server(**settings), "")
    chat.set("enable_agent_access", True)
    ana = chat.person("ana", password=PASSWORD)

    def register_from(browser, address, count=1):
        browser.headers["X-Forwarded-For"] = address
        return [registered(browser) for _ in range(count)]

    with logged_in(chat, ana) as browser:
        (waiting,) = register_from(browser, "192.0.2.1")
        flood = register_from(browser, "198.51.100.7", 52)
        pages = [
            browser.get(f"/oauth/authorize?{urlencode(question(each))}").status_code
            for each in (waiting, flood[0], flood[1], flood[2], flood[-1])
        ]

    assert pages == [200, 400, 400, 200, 200]


def test_a_full_table_makes_room_at_the_network_with_the_most_programs(chat, ana, monkeypatch):
    monkeypatch.setattr(actions.people.agents, "MAX_CLIENTS", 4)

    def register(network):
        return chat.write(actions.people.agents.register, "Helper", [BACK], network).id

    clients = [register(each) for each in ("one", "two", "two", "two", "three")]

    known = [chat.read(storage.people.agents.find_client, each) is not None for each in clients]
    assert known == [True, False, True, True, True]


@pytest.mark.parametrize(
    "given, good",
    [
        (BACK, True),
        ("http://127.0.0.1:1/back", True),
        ("http://127.0.0.1/back", True),
        ("http://localhost:9999/back", False),
        ("http://127.0.0.1:9999/back/more", False),
        ("http://127.0.0.1:9999/back?x=1", False),
        ("https://evil.example/back", False),
    ],
)
def test_a_browser_is_redirected_only_to_a_registered_address(browser, given, good):
    requested = question(registered(browser), redirect_uri=given)
    found = browser.get(f"/oauth/authorize?{urlencode(requested)}")
    assert found.status_code == (200 if good else 400)


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
    ],
)
def test_invalid_requests_are_redirected_to_the_client_with_an_error(browser, change, problem):
    requested = question(registered(browser), **change)
    found = browser.get(f"/oauth/authorize?{urlencode(requested)}")
    assert found.status_code == 303
    assert f"error={problem}" in found.headers["location"]


def test_an_invalid_request_leads_to_no_other_site(browser):
    """Anybody can register an address, so a redirect without consent would be an open one."""
    site = "https://evil.example/back"
    client_id = registered(browser, redirect_uris=[site])
    requested = question(client_id, redirect_uri=site, response_type="x")

    found = browser.get(f"/oauth/authorize?{urlencode(requested)}")

    assert found.status_code == 400
    assert "location" not in found.headers


def test_other_sites_cannot_consent(chat, browser):
    client_id = registered(browser)
    form = {**question(client_id), "until": "open", "allow": "1", **choice(chat, kitchen="write")}

    found = browser.post("/oauth/authorize", data=form, headers={"Origin": "https://evil.example"})

    assert found.status_code == 403


def test_a_refusal_and_hidden_channels_give_nothing(chat, ana, browser):
    ben = chat.person("ben")
    ben.joins("vault", invite_only=True)
    client_id = registered(browser)
    form = {**question(client_id), "until": "open", "refuse": "1"}

    refused = browser.post("/oauth/authorize", data=form)
    hidden = browser.post(
        "/oauth/authorize", data={**form, "allow": "1", **choice(chat, vault="read")}
    )
    nothing = browser.post("/oauth/authorize", data={**form, "allow": "1"})

    assert "error=access_denied" in refused.headers["location"]
    assert hidden.status_code == 400
    assert nothing.status_code == 400
    assert chat.read(storage.people.agents.grants, chat.server.clock()) == []


def test_grants_and_writes_are_in_the_audit_log(chat, ana, browser):
    agent = agent_with(chat, browser, choice(chat, kitchen="write"))
    agent.call("send_message", channel="kitchen", topic="lunch", text="Soup").succeeds()

    entries = chat.read(storage.organization.audit.newest, None, 10)

    acts = {each.act: each for each in entries}
    assert acts["agent allow"].details["write"] == [chat.channel("kitchen").id]
    assert acts["MCP send_message"].details["agent_id"]
    assert acts["MCP send_message"].actor_id == ana.id


def test_an_agent_with_the_name_of_another_client_does_not_edit_its_messages(chat, ana, browser):
    typed = ana.says("I typed this", to="kitchen > lunch", client="website")
    forged = ana.says("So did I", to="kitchen > lunch", client="agent 1: website")
    messages = []
    agents = []
    for _ in range(2):
        client_id = registered(browser, client_name="website")
        code = allowed(browser, client_id, choice(chat, kitchen="write"))["code"]
        agents.append(agent_of(chat, exchanged(browser, client_id, code).json()))
        sent = agents[-1].call("send_message", channel="kitchen", topic="lunch", text="Soup")
        messages.append(sent.succeeds()["message_id"])

    for message_id in (typed.id, forged.id, messages[1]):
        agents[0].call("edit_message", message_id=message_id, text="Changed").fails()

    agents[0].call("edit_message", message_id=messages[0], text="Broth").succeeds()
    found = [ana.get(f"/messages/{each}").succeeds()["message"]["client"] for each in messages]
    assert [name.split(": ")[1] for name in found] == ["website", "website"]
    assert all(name.startswith("agent ") for name in found)
    assert found[0] != found[1]
    assert ana.get(f"/messages/{forged.id}").succeeds()["message"]["client"] == "website"


def test_a_program_that_gives_up_its_access_is_in_the_audit_log(chat, ana, browser):
    client_id = registered(browser)
    code = allowed(browser, client_id, choice(chat, kitchen="write"))["code"]
    tokens = exchanged(browser, client_id, code).json()
    form = {"client_id": client_id, "token": tokens["refresh_token"]}

    browser.post("/oauth/revoke", data={**form, "client_id": "another"})
    assert status_of(agent_of(chat, tokens)) == 200
    browser.post("/oauth/revoke", data=form)
    browser.post("/oauth/revoke", data=form)

    assert status_of(agent_of(chat, tokens)) == 401
    entries = chat.read(storage.organization.audit.newest, None, 10)
    (entry,) = [each for each in entries if each.act == "agent revoke"]
    assert entry.actor_id == ana.id
    assert entry.details["agent_id"]


def test_a_grant_that_ends_because_a_code_was_used_twice_is_in_the_audit_log(chat, ana, browser):
    client_id = registered(browser)
    code = allowed(browser, client_id, choice(chat, kitchen="write"))["code"]

    for _ in range(3):
        exchanged(browser, client_id, code)

    entries = chat.read(storage.organization.audit.newest, None, 10)
    (entry,) = [each for each in entries if each.act == "agent end"]
    assert (entry.actor_id, entry.details["reason"]) == (ana.id, "token used twice")


def _scheduled(chat, ana, browser):
    """Two messages for tomorrow: one of Ana, one of her agent."""
    tomorrow = int(chat.server.clock()) + 86_400
    fields = {"type": "channel", "to": chat.channel("kitchen").id, "topic": "lunch"}
    ana.post(
        "/scheduled_messages", **fields, content="Mine", scheduled_delivery_timestamp=tomorrow
    ).succeeds()
    agent = agent_with(chat, browser, choice(chat, kitchen="write"))
    at = datetime.fromtimestamp(tomorrow, UTC).isoformat()
    agent.call("schedule_message", channel="kitchen", topic="lunch", text="Its", at=at).succeeds()
    return tomorrow


def _states(ana):
    found = ana.get("/scheduled_messages").succeeds()["scheduled_messages"]
    return {each["content"]: each["failed"] for each in found}


def test_what_a_revoked_agent_has_scheduled_is_cancelled_and_shown_as_failed(chat, ana, browser):
    tomorrow = _scheduled(chat, ana, browser)
    queue = ana.listens_for("scheduled_messages")
    (agent,) = ana.get("/users/me/agents").succeeds()["agents"]

    ana.delete(f"/users/me/agents/{agent['id']}").succeeds()

    event = queue.next()
    assert (event["op"], event["scheduled_message"]["failed"]) == ("update", True)
    assert _states(ana) == {"Mine": False, "Its": True}
    chat.server.clock.move(seconds=tomorrow + 60 - chat.server.clock())
    eventually(lambda: _states(ana) == {"Its": True})
    newest = {"anchor": "newest", "num_before": 5, "num_after": 0, "apply_markdown": False}
    found = ana.get("/messages", **newest).succeeds()["messages"]
    assert [each["content"] for each in found] == ["Mine"]


def test_a_command_cancels_what_agents_of_a_deactivated_user_have_scheduled(chat, ana, browser):
    _scheduled(chat, ana, browser)
    data = Terminal(chat.server.folder, chat.server.url).data_options

    # A process of its own: the one of the tests has loaded what features add already.
    subprocess.run(
        [COMMAND, "user", "deactivate", ana.email, "--org", chat.realm.subdomain, *data],
        check=True,
        env=clean_environment(TERTULIA_SECRET=SECRET),
    )

    waiting = chat.read(features.scheduled.entry.of_user, ana.id)
    assert {each.content: each.failed for each in waiting} == {"Mine": False, "Its": True}


def test_the_owner_can_schedule_a_cancelled_message_of_an_agent_again(chat, ana, browser):
    tomorrow = _scheduled(chat, ana, browser)
    (agent,) = ana.get("/users/me/agents").succeeds()["agents"]
    ana.delete(f"/users/me/agents/{agent['id']}").succeeds()
    entries = ana.get("/scheduled_messages").succeeds()["scheduled_messages"]
    (failed,) = [each["scheduled_message_id"] for each in entries if each["failed"]]

    ana.patch(
        f"/scheduled_messages/{failed}", scheduled_delivery_timestamp=tomorrow + 60
    ).succeeds()

    assert _states(ana) == {"Mine": False, "Its": False}


def test_agents_that_are_switched_off_send_nothing_that_they_have_scheduled(chat, ana, browser):
    tomorrow = _scheduled(chat, ana, browser)
    chat.set("enable_agent_access", False)

    chat.server.clock.move(seconds=tomorrow + 60 - chat.server.clock())

    eventually(lambda: _states(ana) == {"Its": True})


def test_tokens_are_stored_as_hashes(chat, browser):
    client_id = registered(browser)
    code = allowed(browser, client_id, choice(chat, kitchen="read"))["code"]
    tokens = exchanged(browser, client_id, code).json()

    rows = chat.read(lambda tx: tx.all("SELECT * FROM agent_token WHERE realm_id = :realm"))

    kept = str([dict(row) for row in rows])
    assert tokens["access_token"] not in kept
    assert tokens["refresh_token"] not in kept
    assert hashlib.sha256(tokens["access_token"].encode()).digest() in [
        bytes(row["fingerprint"]) for row in rows
    ]


def test_the_official_client_finds_its_way_from_a_refusal_to_a_grant(chat, ana, browser):
    """Discovery, registration, PKCE, consent and the first call, by the SDK alone."""
    ana.says("Soup's on", to="kitchen > lunch")
    topic = {"channel": "kitchen", "topic": "lunch"}

    found, _ = call_after_consent(chat, browser, choice(chat, kitchen="read"), "read_topic", topic)

    assert [each["text"] for each in found.succeeds()["messages"]] == ["Soup's on"]


def test_metadata_names_this_server(chat, browser):
    site = f"http://{chat.host}"
    resource = browser.get("/.well-known/oauth-protected-resource/mcp").json()
    server = browser.get("/.well-known/oauth-authorization-server").json()

    assert resource["resource"] == f"{site}/mcp"
    assert resource["authorization_servers"] == [site] == [server["issuer"]]
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["client_id_metadata_document_supported"] is True
    assert msgspec.json.encode(server)
