"""An LDAP directory accepts many spellings of a name; guessing gains nothing from that."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ldap3
import pytest
from ldap3.core.exceptions import LDAPUnwillingToPerformResult
from tests.support.browser import Browser
from tests.support.people import Chat

from tertulia import actions, storage

SESAME = "open sesame"
WRONG = "Your username or password is incorrect"
FULL_WIDTH = str.maketrans(
    {chr(code): chr(code + 0xFEE0) for code in range(ord("a"), ord("z") + 1)}
)


def tries(chat: Chat, username: str, password: str = "a guess") -> Any:
    return chat.stranger.post("/fetch_api_key", username=username, password=password)


def test_spellings_of_a_name_share_their_attempts(ldap_chat, slapd):
    slapd.add_person("anabel")
    spellings = [
        "anabel",
        "ANABEL",
        "  anabel",
        "anabel@example.com",
        "anabel".translate(FULL_WIDTH),
    ]
    for spelling in spellings:
        assert tries(ldap_chat, spelling, SESAME).status == 200, spelling

    for spelling in spellings:
        tries(ldap_chat, spelling).fails(WRONG, code="AUTHENTICATION_FAILED", status=401)
    unseen = [tries(ldap_chat, each, SESAME) for each in ("Anabel@Example.com", "ａnabel")]

    for reply in unseen:  # as for an unknown name
        reply.fails(WRONG, code="AUTHENTICATION_FAILED", status=401)
    anabel = ldap_chat.read(storage.people.users.find_by_email, "anabel@example.com")
    ldap_chat.write(actions.people.password_attempts.unlock, ldap_chat.server.vault, anabel)
    assert tries(ldap_chat, "ａnabel", SESAME).status == 200


@contextmanager
def counted(monkeypatch: Any) -> Iterator[Counter[str]]:
    """The queries that the directory receives."""
    requested: Counter[str] = Counter()
    with monkeypatch.context() as patched:
        for name in ("bind", "search", "unbind"):
            patched.setattr(ldap3.Connection, name, _counting(requested, name))
        yield requested


def _counting(asked: Counter[str], name: str) -> Any:
    do = getattr(ldap3.Connection, name)

    def counting(connection: Any, *args: Any, **kwargs: Any) -> Any:
        asked[name] += 1
        return do(connection, *args, **kwargs)

    return counting


@pytest.mark.parametrize("ending", ["", "@example.com"])
def test_neither_the_answer_nor_the_work_reveals_a_directory_entry(
    ldap_chat, slapd, monkeypatch, ending
):
    slapd.add_person("anabel")
    slapd.add_person("ben", userPassword=None)
    slapd.add_person("disabled", employeeType="TRUE")
    tries(ldap_chat, "warm")

    seen = {}
    for name in ("nobody", "anabel", "ben", "disabled"):
        with counted(monkeypatch) as requested:
            by_api = tries(ldap_chat, f"{name}{ending}")
            by_page = Browser(ldap_chat).logs_in(f"{name}{ending}", "a guess")
        page = by_page.body.replace(name.encode(), b"")
        seen[name] = (by_api.status, by_api.body, by_page.status, page, dict(requested))

    assert seen["nobody"][-1]["bind"] > 0
    for name in ("anabel", "ben", "disabled"):
        assert seen[name] == seen["nobody"], name


def test_a_locked_directory_account_is_not_reported_as_an_outage(ldap_chat, slapd, monkeypatch):
    """The answer of 389 Directory Server for a locked account."""
    dn = slapd.add_person("anabel")
    bind = ldap3.Connection.bind

    def refusing(connection: Any, *args: Any, **kwargs: Any) -> Any:
        if connection.user == dn:
            raise LDAPUnwillingToPerformResult()
        return bind(connection, *args, **kwargs)

    monkeypatch.setattr(ldap3.Connection, "bind", refusing)

    tries(ldap_chat, "anabel").fails(WRONG, code="AUTHENTICATION_FAILED", status=401)
