"""A user who is deactivated or demoted during a request cannot finish it.

The server authenticates from memory and acts in the database. Here an account ends, or loses its
role, just between the two, in every endpoint.
"""

import pytest
from tests.api.good_calls import FAREWELLS, address, ask, good_calls

from tertulia.database.tx import Tx
from tertulia.domain.people.user import Role

# Done by the user's bot, by another user or by the server; or it leaves nothing behind.
LEFT_OUT = FAREWELLS | {
    *((method, "/bot_storage") for method in ("PUT", "DELETE")),
    ("POST", "/realm/deactivate"),
    ("POST", "/fetch_api_key"),
    ("POST", "/jwt/fetch_api_key"),
    ("POST", "/messages/render"),
    ("POST", "/users/me/presence"),
    ("POST", "/typing"),
    ("POST", "/interactions/fetch"),
    ("PATCH", "/messages/{message_id}/buttons"),
    ("POST", "/interactions/{interaction_id}/answer"),
    ("POST", "/answers"),
    ("PATCH", "/answers/{answer_token}"),
    ("DELETE", "/answers/{answer_token}"),
    ("POST", "/integrations/template/preview"),
    ("POST", "/messages/{message_id}/typing"),
    ("POST", "/users/me/second_factor/secret"),
    ("POST", "/mobile_push/test_notification"),
    ("POST", "/mobile_push/e2ee/test_notification"),
    ("POST", "/web_push/test"),
    ("POST", "/push_servers/test"),
    ("POST", "/calls/bigbluebutton/create"),
    ("POST", "/calls/nextcloud_talk/create"),
    ("POST", "/streams/{stream_id}/topic_summaries"),
}


@pytest.fixture
def chat(mail_chat):
    """Some calls need a server that sends mail."""
    return mail_chat


def end(tx: Tx, user_id: int) -> None:
    """As if it had just been committed and not delivered yet."""
    tx.execute("UPDATE account SET is_active = FALSE WHERE id = :id", id=user_id)


def demote(tx: Tx, user_id: int) -> None:
    tx.execute("UPDATE account SET role = :role WHERE id = :id", role=int(Role.MEMBER), id=user_id)


def restore(tx: Tx, user_id: int) -> None:
    tx.execute(
        "UPDATE account SET is_active = TRUE, role = :role WHERE id = :id",
        role=int(Role.OWNER),
        id=user_id,
    )


class Latecomer:
    """Authenticates as usual, and ends the account of the awaited caller right after."""

    def __init__(self, admit, user_id: int, happens) -> None:
        self._admit, self._user_id, self._happens = admit, user_id, happens
        self.waits = False

    async def __call__(self, request, route):
        call = await self._admit(request, route)
        if self.waits and call.caller is not None and call.caller.id == self._user_id:
            self.waits = False
            await call.system_db.write(self._happens, self._user_id)
        return call


@pytest.mark.parametrize("happens", [end, demote])
def test_a_request_fails_if_its_caller_loses_the_right_meanwhile(chat, happens):
    ana, calls, path_params = good_calls(chat)
    tried, done = 0, []
    with chat.server.admits_with(lambda admit: Latecomer(admit, ana.id, happens)) as late:
        for route in calls:
            if route[0] == "GET" or route in LEFT_OUT:
                continue
            path, params = address(route, path_params), calls[route]
            before = chat.head()
            late.waits = True
            response = ask(ana, route[0], path, **params)
            if response.status == 200 or chat.head() != before:
                done.append(route)
            late.waits = False
            chat.write(restore, ana.id)
            tried += 1

    assert tried > 80
    # What every member may do.
    signalled = ("POST", "/calls/{call_token}/sessions/{session_id}/signals")
    finished = ("POST", "/answers/{answer_token}/finish")
    assert done == ([signalled, finished] if happens is demote else [])
