"""Slow resources that users share: one user's backlog delays another by one item of work."""

import base64
import gc
import tracemalloc

import httpx
import pytest
from tests.support.backlog import Backlog
from tests.support.client import Reply
from tests.support.event_queue import in_background
from tests.support.pictures import picture, uploads_to
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import actions, api, fair_queue
from tertulia.api import authentication
from tertulia.http import authorization_header, compression, forms

MAX_TURNS = 6  # of a backlog of hundreds: a request has up to three items of work


def long_form(person, message):
    return person.post("/messages/render", content="你" * 3000)


def code(person, message):
    return person.post("/messages/render", content="```python\nprint('soup')\n```")


def avatar(person, message):
    return uploads_to(person, "/users/me/avatar", picture())


def large_answer(person, message):
    address = f"http://127.0.0.1:{person.server.port}/api/v1/messages?anchor=newest&num_before=5"
    headers = {**person.headers, "Accept-Encoding": "gzip"}
    response = httpx.get(address, headers=headers, timeout=TIMEOUT_SECONDS, verify=False)
    return Reply(response.status_code, response.headers, response.content)


def edit_history(person, message):
    return person.get(f"/messages/{message.id}/history")


def highlights(person, message):
    narrow = [{"operator": "search", "operand": "soup"}]
    return person.get("/messages/matches_narrow", msg_ids=[message.id], narrow=narrow)


def search(person, message):
    narrow = [{"operator": "search", "operand": "soup"}]
    return person.get("/messages", anchor="newest", num_before=10, narrow=narrow)


def many_messages(person, message):
    return person.get("/messages", anchor="newest", num_before=1000)


def new_key(person, message):
    return person.get("/web_push/key")


RESOURCES = {
    "forms": (lambda chat: forms.FORMS, long_form),
    "rendering": (lambda chat: actions.messages.draft.RENDERING, code),
    "pictures": (lambda chat: api.files.pictures.PICTURES, avatar),
    "compression": (lambda chat: compression.COMPRESSION, large_answer),
    "diffs": (lambda chat: api.messages.edits.DIFFS, edit_history),
    "highlights": (lambda chat: api.messages.history.HIGHLIGHTS, highlights),
    "large answers": (lambda chat: api.messages.history.LARGE_ANSWERS, many_messages),
    "reads": (lambda chat: chat.server.database.reads, search),
    "signatures": (lambda chat: api.people.crypto_queue.SIGNATURES, new_key),
}


@pytest.mark.parametrize("queue_of, asks", RESOURCES.values(), ids=RESOURCES)
def test_a_backlog_delays_its_owner_and_not_others(chat, in_kitchen, ana, ben, queue_of, asks):
    bot = chat.person("robot", bot="generic", owner=ana)
    for _ in range(5):
        ben.says("soup " * 1900, to=[ana, ben, bot])
    message = ben.says("Soup's on", to="kitchen > lunch")
    ben.patch(f"/messages/{message.id}", content="Soup's off").succeeds()
    queue = queue_of(chat)

    with Backlog(queue, ana.id) as backlog:
        served = queue.state.served
        refused = asks(ana if asks is new_key else bot, message)  # bots have no push keys
        response = in_background(lambda: asks(ben, message))
        turns = backlog.turns_until(response)
        answered = response.result()

        if asks is large_answer:  # the request was done: its answer comes uncompressed
            assert (refused.status, "Content-Encoding" in refused.headers) == (200, False)
        else:
            assert (refused.status, refused.json["code"]) == (429, "RATE_LIMIT_HIT")
            assert refused.headers["Retry-After"] == "1"
        assert answered.status == 200
        assert queue.state.served > served
        # One search reads several times, and more often while the index is behind.
        bound = max(MAX_TURNS, queue.max_waiting // 20)
        assert turns <= bound
        assert backlog.waiting >= queue.max_waiting - bound


def test_an_image_does_not_wait_for_another_persons(chat, ana, ben):
    queue = api.files.pictures.PICTURES

    with Backlog(queue, ana.id) as backlog:
        uploaded = in_background(lambda: avatar(ben, None))

        uploaded.result(TIMEOUT_SECONDS).succeeds()
        assert backlog.waiting == queue.max_waiting


def test_a_long_form_does_not_wait_for_another_persons(chat, ana, ben):
    with Backlog(forms.FORMS, ana.id) as backlog:
        answered = in_background(lambda: long_form(ben, None))

        answered.result(TIMEOUT_SECONDS).succeeds()
        assert backlog.waiting == forms.FORMS.max_waiting


@pytest.mark.parametrize("kind", [pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_waiting_register_does_not_delay_others(chat, in_kitchen, ana, ben):
    """The organization is frozen while a register reads, so this read does not wait for a turn."""
    queue = chat.server.database.reads

    with Backlog(queue, ana.id, room=10) as backlog:
        registered = in_background(lambda: ana.post("/register"))
        eventually(lambda: queue.waiting > backlog.waiting)  # some of its work waits now
        sent = in_background(lambda: ben.says("Soup's on", to="kitchen > lunch"))

        assert sent.result(TIMEOUT_SECONDS).id
    registered.result(TIMEOUT_SECONDS).succeeds()


def test_an_address_that_tries_passwords_delays_only_itself(chat):
    queue, tried = api.people.password_hashing.PASSWORDS, {"password": "open sesame"}
    cleo = chat.person("cleo", **tried)

    def logs_in():
        return chat.stranger.post("/fetch_api_key", username=cleo.email, **tried)

    with Backlog(queue, "203.0.113.9") as backlog:
        response = in_background(logs_in)
        turns = backlog.turns_until(response)
        response.result().succeeds()

        assert turns <= MAX_TURNS

    with Backlog(queue, "127.0.0.1"):
        refused = logs_in()

    assert (refused.status, refused.headers["Retry-After"]) == (429, "1")


def test_metrics_name_every_queue(chat):
    chat.person("ana").post("/messages/render", content="```\nsoup\n```").succeeds()

    text = chat.stranger.raw("GET", "/metrics").body.decode()

    assert {"forms", "rendering"} <= fair_queue.QUEUES.keys()
    for name in fair_queue.QUEUES:
        for counter in ("waiting", "running", "served_total", "refused_total"):
            assert f'tertulia_queue_{counter}{{queue="{name}"}}' in text
    assert 'tertulia_queue_served_total{queue="rendering"} 0.0' not in text


def test_padded_headers_are_not_kept_in_memory(chat):
    """A key is found in a padded header; one short header per key is cached."""
    ana = chat.person("ana")
    paddings = [*range(1000, 1200), *range(10, 110)]

    def asks(padding):
        credentials = f"{' ' * padding}{ana.email}:{ana.key}{' ' * (20 * padding)}"
        header = "Basic " + base64.b64encode(credentials.encode()).decode()
        response = chat.stranger.raw("GET", "/api/v1/users/me", Authorization=header)
        assert response.status == 200
        return len(header)

    asks(1)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        sent = sum(map(asks, paddings))
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert sent > 5_000_000
    assert after - before < sent / 20


def test_a_header_of_300_bytes_is_the_longest_that_is_cached(chat, monkeypatch):
    ana, read = chat.person("ana"), []

    def counted(header):
        read.append(header)
        return authorization_header.read_credentials(header)

    monkeypatch.setattr(authentication, "read_credentials", counted)

    def asks(length):
        credentials = f"{ana.email}:{ana.key}"
        header = f"Basic {base64.b64encode(credentials.encode()).decode()}"
        header = header.replace(" ", " " * (length - len(header) + 1))
        chat.stranger.raw("GET", "/api/v1/users/me", Authorization=header).succeeds()

    lengths = [300, 300, 301, 301, 300, 299, 300]
    for length in lengths:
        asks(length)

    assert [len(header) for header in read] == [300, 301, 301, 299, 300]
