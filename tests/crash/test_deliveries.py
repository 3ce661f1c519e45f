"""kill -9 while a mail, a push and a webhook are being sent: each is delivered, with PostgreSQL.

With SQLite the simulator kills servers (`tests/simulation`).
"""

import asyncio
from typing import Any

import pytest
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.jobs.test_push_sender import Browser
from tests.support import fake_webhooks
from tests.support.databases import Databases
from tests.support.fake_smtp import FakeSmtp
from tests.support.fake_webhooks import Receiver
from tests.support.waiting import eventually

from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx


class SlowOffice(FakeSmtp):
    """Accepts a mail and does not confirm it."""

    hangs = True
    begun = 0

    async def handle_DATA(  # noqa: N802
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        self.begun += 1
        if self.hangs:
            await asyncio.sleep(3600)
        return await super().handle_DATA(server, session, envelope)


@pytest.mark.postgres
def test_deliveries_in_progress_arrive_after_a_kill(databases: Databases, new_server: NewServer):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana ben")
    database, office = BlockingDatabase.at(url), SlowOffice()
    office.open()
    webhook, browser = Receiver(fake_webhooks.never_answer), Browser()
    browser.service.answer = fake_webhooks.never_answer
    server = new_server(url, folder)
    server.flags += [
        *("--smtp-host", "127.0.0.1", "--smtp-port", str(office.port), "--smtp-security", "none"),
        *("--external-url", f"http://127.0.0.1:{server.port}"),
        *("--webhook-networks", "127.0.0.0/8"),
    ]
    server.start()
    ana, ben = people["ana"].at(server.port), people["ben"].at(server.port)
    about: dict[str, Any] = {"full_name": "Tide", "short_name": "tide", "interface_type": 1}
    made = ana.post("/bots", bot_type=3, payload_url=webhook.url, **about)
    ben.get("/web_push/key")
    ben.post("/web_push/subscriptions", **browser.subscription())
    to = [people["ben"].id, made["user_id"]]

    assert ana.post("/messages", type="direct", to=to, content="Now?").status == 200
    eventually(lambda: database.of(1).read(_count, "missed_timer"))
    database.of(1).write(_let_time_pass)
    eventually(lambda: office.begun and webhook.requests and browser.service.requests)
    server.kill()
    office.hangs, webhook.answer, browser.service.answer = False, {"content": "Low"}, (201, b"")
    database.of(1).write(_let_time_pass)
    server.start()

    eventually(lambda: office.mails_to("ben@example.com"))
    eventually(lambda: len(webhook.requests) > 1 and len(browser.service.requests) > 1)
    eventually(lambda: not database.of(1).read(_count, "outbox"))
    ben.close()
    found = ben.get("/messages", anchor="newest", num_before=1, apply_markdown=False)
    assert found["messages"][-1]["content"] == "Low"
    assert browser.received()[0] == browser.received()[1]
    for each in (webhook, browser.service, office):
        each.close()


def _count(tx: Tx, table: str) -> int:
    return int(tx.value(f"SELECT count(*) AS value FROM {table}"))


def _let_time_pass(tx: Tx) -> None:
    """Make everything due, and let all leases expire."""
    for table in ("missed_timer", "outbox"):
        tx.execute(f"UPDATE {table} SET due_at = 0")
