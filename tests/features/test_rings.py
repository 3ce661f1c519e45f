"""Rings on phones: Web Push and ntfy, from the first second until somebody answers."""

import ipaddress
import json
from urllib.parse import urlsplit

import pytest
from tests.features.test_calls import join, session, start
from tests.jobs.test_push_sender import Browser, works
from tests.support import fake_webhooks
from tests.support.people import Chat
from tests.support.waiting import eventually

HOME = (ipaddress.ip_network("127.0.0.0/8"),)


@pytest.fixture
def chat(start_server):
    return Chat.found(start_server(webhook_networks=HOME), "")


@pytest.fixture
def phone(ben):
    """The phone of Ben."""
    browser = Browser()
    ben.get("/web_push/key").succeeds()
    ben.post("/web_push/subscriptions", **browser.subscription()).succeeds()
    yield browser
    browser.service.close()


@pytest.fixture
def ntfy(ben):
    """Ben's topic on an ntfy server."""
    server = fake_webhooks.Receiver((200, b"{}"))
    given = {"kind": "ntfy", "address": f"{server.url}/bens-phone"}
    ben.post("/push_servers", **given).succeeds()
    yield server
    server.close()


def refresh(chat):
    chat.server.run_job("ringing")


def of_type(phone, kind):
    return [each for each in phone.received() if each["type"] == kind]


def call_ben(ana, ben):
    return start(ana, type="direct", to=[ben.id])


def test_a_phone_rings_until_the_call_is_answered_elsewhere(chat, phone, ana, ben):
    call = call_ben(ana, ben)
    refresh(chat)

    eventually(lambda: of_type(phone, "ring"))
    (ring,) = of_type(phone, "ring")
    assert (ring["title"], ring["answer"], ring["decline"]) == (
        "Ana calls you",
        "Answer",
        "Decline",
    )
    assert ring["call_token"] == call["call"]["call_token"]
    assert phone.service.requests[0].headers["ttl"] == "30"
    join(ben, call)
    refresh(chat)
    eventually(lambda: of_type(phone, "ring_end"))
    works(chat)
    assert of_type(phone, "message") == []


@pytest.mark.parametrize("who", ["ben declines", "ana gives up"])
def test_a_phone_stops_ringing_when(chat, phone, ana, ben, who):
    call = call_ben(ana, ben)
    refresh(chat)
    eventually(lambda: of_type(phone, "ring"))

    if who == "ben declines":
        ben.post(f"/calls/{call['call']['call_token']}/decline").succeeds()
    else:
        ana.delete(session(call)).succeeds()
    refresh(chat)

    eventually(lambda: of_type(phone, "ring_end"))


def test_a_missed_call_is_notified_after_the_ringing(chat, phone, ana, ben):
    call = call_ben(ana, ben)
    refresh(chat)
    ana.delete(session(call)).succeeds()
    works(chat)
    assert of_type(phone, "message") == []

    chat.write(lambda tx: tx.execute("UPDATE outbox SET due_at = 0"))

    def is_notified():
        works(chat)
        return [each["content"] for each in of_type(phone, "message")] == ["Missed call"]

    eventually(is_notified)


def test_a_phone_of_one_who_wants_no_notifications_does_not_ring(chat, phone, ana, ben):
    ben.patch("/settings", enable_offline_push_notifications=False).succeeds()

    call_ben(ana, ben)
    refresh(chat)
    refresh(chat)

    assert phone.received() == []


def test_ntfy_has_buttons_to_answer_and_to_decline_without_a_session(chat, ntfy, ana, ben):
    call = call_ben(ana, ben)
    refresh(chat)

    eventually(lambda: ntfy.requests)
    note = json.loads(ntfy.requests[0].body)
    assert (note["title"], note["priority"]) == ("Ana calls you", 5)
    answer, decline = note["actions"]
    token = call["call"]["call_token"]
    assert (answer["action"], decline["action"]) == ("view", "http")
    assert answer["url"].endswith(f"/answer/{token}")
    path = urlsplit(decline["url"]).path
    assert chat.stranger.raw("POST", path[:-1] + "_", b"").status == 404
    assert chat.stranger.raw("POST", path, b"").status == 204
    assert ben.get("/calls").succeeds()["calls"][0]["ringing"] == []
