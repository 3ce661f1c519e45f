"""Account enumeration: the answer and the work behind it are the same with and without an account.

The work is counted, not timed: hashed passwords, written rows, statements.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pytest
from tests.support.browser import Browser
from tests.support.client import Reply
from tests.support.people import Chat

from tertulia import actions, domain
from tertulia.database.tx import Tx

SESAME = "open sesame"
WAYS = ("one", "all", "execute")
# The tables that hold all of this; jobs read other tables meanwhile.
KEPT = {"one_time_link", "outbox", "invitation", "password_attempt", "audit_entry", "password_hash"}


@contextmanager
def counted(monkeypatch, realm_id: int):
    """Counts the work for one organization."""
    work: Counter[str] = Counter()
    with monkeypatch.context() as patched:
        for name in WAYS:
            patched.setattr(Tx, name, _counting(work, getattr(Tx, name), realm_id))
        matches = domain.people.passwords.matches

        def looked_at(*args: Any) -> bool:
            work["passwords"] += 1
            return matches(*args)

        patched.setattr(domain.people.passwords, "matches", looked_at)
        yield work


def _counting(work: Counter[str], method: Callable[..., Any], realm_id: int) -> Callable[..., Any]:
    def counting(tx: Tx, sql: str, **values: Any) -> Any:
        words = sql.split()
        for table in {*words} & KEPT if tx.realm_id == realm_id else ():
            work[f"{words[0]} {table}"] += 1
        return method(tx, sql, **values)

    return counting


def forgets(chat: Chat, email: str) -> Reply:
    return Browser(chat).submits("/accounts/password/reset/", {"email": email})


def signs_up(chat: Chat, email: str) -> Reply:
    return Browser(chat).submits("/register/", {"email": email})


def logs_in(chat: Chat, email: str) -> Reply:
    return Browser(chat).logs_in(email, "a guess")


def fetches_key(chat: Chat, email: str) -> Reply:
    return chat.stranger.post("/fetch_api_key", username=email, password="a guess")


def looks_for(chat: Chat, email: str) -> Reply:
    return Browser(chat).submits("/accounts/find/", {"email": email})


def invites(chat: Chat, email: str) -> Reply:
    ben = chat.person(f"ben{chat.server.clock.ahead}")
    chat.server.clock.move(seconds=1)
    return ben.post("/invites", invitee_emails=email, stream_ids=[])


def takes_over(chat: Chat, email: str) -> Reply:
    ben = chat.person(f"ben{chat.server.clock.ahead}")
    chat.server.clock.move(seconds=1)
    return ben.patch("/settings", email=email)


@pytest.mark.parametrize(
    "ask", [forgets, signs_up, logs_in, fetches_key, looks_for, invites, takes_over]
)
def test_neither_the_answer_nor_the_work_reveals_an_account(mail_chat, monkeypatch, ask):
    hidden = {"email_address_visibility": 5}
    here = f"here@{mail_chat.host}.example"
    ana = mail_chat.person("ana", password=SESAME, email=here, settings=hidden)
    gone = mail_chat.person("gone", email=f"gone@{mail_chat.host}.example", settings=hidden)
    mail_chat.person("bot", bot="generic", owner=ana, email=f"robo@{mail_chat.host}.example")
    mail_chat.write(actions.people.users.deactivate, gone.id)
    mail_chat.set("invite_required", False)
    mail_chat.person("owner", role="owner")
    mail_chat.server.clock.move(hours=100)
    ask(mail_chat, f"warm@{mail_chat.host}.example")

    seen = {}
    for name in ("here", "none", "gone", "robo"):
        email = f"{name}@{mail_chat.host}.example"
        with counted(monkeypatch, mail_chat.realm.id) as work:
            reply = ask(mail_chat, email)
        seen[name] = (reply.status, reply.body.replace(email.encode(), b""), dict(work))

    assert seen["here"][0] < 500
    for name in ("none", "gone", "robo"):
        assert seen[name] == seen["here"], name
