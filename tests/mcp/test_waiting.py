"""Waiting for messages, by agents and servers that end at any moment."""

import socket
import threading
import time
from functools import partial

import msgspec
import pytest
from tests.support.agents import AgentProgram
from tests.support.event_queue import in_background
from tests.support.grants import access_token
from tests.support.people import Chat
from tests.support.waiting import eventually

from tertulia.log import log


@pytest.fixture
def channels():
    return ["kitchen"]


@pytest.fixture
def agent(chat, ana):
    chat.set("enable_agent_access", True)
    return AgentProgram.of_bot(
        chat.person("helper", bot="generic", owner=ana, channels=["kitchen"])
    )


def wait(agent, **asked):
    return agent.call("wait_for_messages", **{"timeout_seconds": 0, **asked}).succeeds()


def texts(answer):
    return [each["text"] for each in answer["messages"]]


def test_a_waiting_agent_is_woken_by_a_message(agent, ana):
    wait(agent)
    timer = threading.Timer(1, lambda: ana.says("Soup?", to="kitchen > lunch"))
    timer.start()
    started = time.monotonic()

    response = wait(agent, timeout_seconds=40)

    timer.join()
    assert texts(response) == ["Soup?"]
    assert time.monotonic() - started < 30


def test_a_killed_agent_gets_what_it_had_not_confirmed(agent, ana):
    wait(agent)
    ana.says("one", to="kitchen > lunch")
    first = wait(agent)
    ana.says("two", to="kitchen > lunch")

    again = wait(agent)
    confirmed = wait(agent, after=first["next_after"])
    after_restart = wait(agent)

    assert (texts(first), texts(again)) == (["one"], ["one", "two"])
    assert texts(confirmed) == texts(after_restart) == ["two"]
    assert texts(wait(agent, after=confirmed["next_after"])) == []


def test_an_agent_that_confirms_too_much_misses_nothing(agent, ana):
    wait(agent)
    confirmed = wait(agent, after=2**60)
    ana.says("one", to="kitchen > lunch")

    assert texts(wait(agent, after=confirmed["next_after"])) == ["one"]
    assert texts(wait(agent)) == ["one"]


def test_positions_are_separate_and_places_limit_them(agent, ana):
    wait(agent)
    wait(agent, name="dinner", channel="kitchen", topic="dinner")
    ana.says("one", to="kitchen > lunch")
    ana.says("two", to="kitchen > dinner")

    assert texts(wait(agent)) == ["one", "two"]
    assert texts(wait(agent, name="dinner", channel="kitchen", topic="dinner")) == ["two"]


def test_own_messages_wake_an_agent_only_on_request(agent):
    wait(agent)
    agent.call("send_message", channel="kitchen", topic="lunch", text="Me").succeeds()

    assert texts(wait(agent)) == []
    assert texts(wait(agent, include_own=True)) == ["Me"]


def test_more_messages_than_a_page_come_in_order(chat, agent, ana):
    wait(agent)
    ids = chat.fill(ana, "kitchen > lunch", 30)

    first = wait(agent, limit=20)
    second = wait(agent, limit=20, after=first["next_after"])

    assert [each["id"] for each in first["messages"] + second["messages"]] == ids


def parked(chat, agent, **asked):
    """A wait that has begun: its answer, and the queue at which it is parked."""
    before = queues(chat)
    asked = {"timeout_seconds": 40, **asked}
    answer = in_background(partial(agent.call, "wait_for_messages", **asked))

    eventually(lambda: any(map(chat.server.is_parked, queues(chat) - before)))
    (queue_id,) = queues(chat) - before
    return answer, queue_id


def queues(chat):
    if not chat.server.has_loaded(chat.realm.id):
        return set()
    return set(chat.server.queue_ids(chat.realm.id))


@pytest.fixture
def program(chat, agent, ana):
    """A program that may read the kitchen in the name of Ana."""
    token = access_token(ana, {chat.channel("kitchen").id: False})
    headers = {"Host": chat.host, "Authorization": f"Bearer {token}"}
    return AgentProgram(agent.url, headers)


@pytest.mark.parametrize("name", ["agent", "program"])
def test_a_parked_wait_returns_nothing_after_agents_were_turned_off(chat, ana, name, request):
    answer, _ = parked(chat, request.getfixturevalue(name))

    chat.set("enable_agent_access", False)
    chat.person("ben", channels=["kitchen"]).says("Soup?", to="kitchen > lunch")

    assert answer.result().fails() == "The access of this agent has ended."


def test_a_parked_wait_wakes_only_for_messages_that_it_may_return(chat, ana, agent, program):
    ben = chat.person("ben", channels=["kitchen", "garden"])
    ana.joins("garden")
    queue = ana.listens_for("message")
    waits = [
        parked(chat, program, name="all"),
        parked(chat, program, name="one", channel="kitchen"),
        parked(chat, agent, name="all"),
        parked(chat, agent, name="one", channel="kitchen"),
    ]

    ben.says("Roses", to="garden > flowers")
    ben.says("Psst", to=[ana])
    queue.next(), queue.next()

    assert not any(chat.server.was_woken(queue_id) for _, queue_id in waits)
    ben.says("Soup?", to="kitchen > lunch")
    assert [texts(answer.result().succeeds()) for answer, _ in waits] == [["Soup?"]] * 4


def test_an_agent_that_hangs_up_is_no_failure_of_the_server(start_server):
    chat = Chat.found(start_server(), "")
    chat.set("enable_agent_access", True)
    bot = chat.person("helper", bot="generic", owner=chat.person("ana"))
    call = {"name": "wait_for_messages", "arguments": {"timeout_seconds": 40}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    failures = counted_failures()

    with socket.create_connection(("127.0.0.1", chat.server.port)) as line:
        line.sendall(post("/mcp", msgspec.json.encode(body), bot.headers))
        eventually(lambda: any(map(chat.server.is_parked, queues(chat))))
    eventually(lambda: not queues(chat))

    assert counted_failures() == failures


@pytest.mark.parametrize("path", ["/mcp", "/oauth/token", "/oauth/register", "/login/"])
def test_a_client_that_hangs_up_within_its_request_is_no_failure_of_the_server(start_server, path):
    chat = Chat.found(start_server(), "")
    chat.set("enable_agent_access", True)
    bot = chat.person("helper", bot="generic", owner=chat.person("ana"))
    failures, known = counted_failures(), chat.server.connections.open

    with socket.create_connection(("127.0.0.1", chat.server.port)) as line:
        line.sendall(post(path, b"x" * 100, bot.headers)[:-50])
        eventually(lambda: chat.server.connections.open > known)
    eventually(lambda: chat.server.connections.open == known)
    bot.get("/users/me").succeeds()

    assert counted_failures() == failures


def post(path, body, headers):
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    kind = "application/x-www-form-urlencoded" if path != "/mcp" else "application/json"
    lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def counted_failures():
    totals = log.counts.totals
    return totals["http.request_failed"], totals["http.application_failed"]
