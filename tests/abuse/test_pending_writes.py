"""The writer: one person can have only so many writes waiting, and others do not notice."""

import asyncio
import threading
from typing import Any

from tests.support.event_queue import in_background
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database.writer_pool import MAX_PENDING_PER_PERSON


def test_a_person_with_too_many_waiting_writes_is_refused_and_others_are_not(
    chat, in_kitchen, ana, ben
):
    robot = chat.person("robot", bot="generic", owner=ana)
    for who in (ana, ben, robot):
        who.post("/users/me/alert_words", alert_words=["soup"]).succeeds()
    database, hold = chat.server.database, threading.Event()
    ran: list[int] = []

    async def fill() -> Any:
        def keep_waiting(tx: Any) -> None:
            hold.wait(TIMEOUT_SECONDS)

        others = [asyncio.create_task(database.of(chat.realm.id).write(keep_waiting))]
        own = database.of(chat.realm.id, ana.id)
        return others + [
            asyncio.create_task(own.write(lambda tx, number: ran.append(number), number))
            for number in range(MAX_PENDING_PER_PERSON)
        ]

    writes = chat.server.do(fill())
    refused = [who.post("/users/me/alert_words", alert_words=["soup"]) for who in (ana, robot)]
    bens = in_background(lambda: ben.post("/users/me/alert_words", alert_words=["soup"]))
    hold.set()

    assert [(each.status, each.json["code"]) for each in refused] == [(429, "RATE_LIMIT_HIT")] * 2
    bens.result(TIMEOUT_SECONDS).succeeds()
    chat.server.do(asyncio.wait(writes, timeout=TIMEOUT_SECONDS))
    assert ran == list(range(MAX_PENDING_PER_PERSON))
    eventually(lambda: ana.post("/users/me/alert_words", alert_words=["soup"]).status == 200)
