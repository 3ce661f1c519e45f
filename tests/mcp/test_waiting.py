"""Waiting for messages, by agents and servers that end at any moment."""

import threading
import time

import pytest
from tests.support.agents import AgentProgram


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
