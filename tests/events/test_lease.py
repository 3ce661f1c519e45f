"""A server that has not reached its database for a while does not answer from memory."""

import time
from dataclasses import replace

import pytest
from tests.crash.client import request
from tests.crash.tcp_proxy import TcpProxy
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import eventually

from tertulia.events.directory import follower

pytestmark = pytest.mark.postgres

LEASE_SECONDS = 0.5


def test_a_disconnected_server_does_not_answer_from_memory(databases, monkeypatch):
    monkeypatch.setattr(follower, "LEASE_SECONDS", LEASE_SECONDS)
    responses: list[int] = []
    url, folder = databases.ready("postgres")
    proxy = TcpProxy(url)
    chat = Chat.found(Server(proxy.url, folder).start(), "")
    elsewhere = Server(url, folder).start()
    ana = chat.person("ana")
    there = replace(ana, server=elsewhere)

    def status() -> int:
        return request(chat.server.port, "GET", "/api/v1/users/me", headers=ana.headers).status

    def is_answered() -> bool:
        responses.append(status())
        return responses[-1] != 503

    eventually(lambda: status() == 200)
    proxy.cut()
    eventually(lambda: status() == 503)
    eventually(lambda: there.get("/users/me").status == 200)
    there.post("/users/me/api_key/regenerate").succeeds()
    time.sleep(2 * LEASE_SECONDS)
    proxy.restore()
    eventually(is_answered)

    assert responses[-1] == 401
    elsewhere.stop()
    chat.server.stop()
    databases.give_back(url)
