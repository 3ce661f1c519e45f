"""E-mail addresses: unproven ones are refused, and existing ones are not revealed.

Ben hides his address. A caller that may not see it must get the same answer for it as for an unused
address, from every endpoint that takes an address.
"""

from collections.abc import Callable

import pytest
from tests.support.client import Reply
from tests.support.people import Chat, Person

TAKEN, FREE = "ben@example.com", "nix@example.com"

Call = Callable[[Person, str], Reply]


def _narrowing(operator: str) -> Call:
    return lambda who, email: who.get(
        "/messages", anchor="newest", narrow=[{"operator": operator, "operand": email}]
    )


CALLS: dict[str, Call] = {
    "PATCH /settings": lambda who, email: who.patch("/settings", email=email),
    "PATCH /settings in capitals": lambda who, email: who.patch("/settings", email=email.upper()),
    "POST /users": lambda who, email: who.post(
        "/users", email=email, password="correct horse battery", full_name="X"
    ),
    "GET /users/{email}": lambda who, email: who.get(f"/users/{email}"),
    "PATCH /users/{email}": lambda who, email: who.patch(f"/users/{email}", full_name="X"),
    "DELETE /users/{email}": lambda who, email: who.delete(f"/users/{email}"),
    "PATCH /users/{user_id}": lambda who, email: who.patch(f"/users/{who.id}", new_email=email),
    "GET /users/{email}/presence": lambda who, email: who.get(f"/users/{email}/presence"),
    "POST /messages": lambda who, email: who.post(
        "/messages", type="direct", to=[email], content="x"
    ),
    "POST /users/me/subscriptions": lambda who, email: who.post(
        "/users/me/subscriptions", subscriptions=[{"name": "lobby"}], principals=[email]
    ),
    "DELETE /users/me/subscriptions": lambda who, email: who.delete(
        "/users/me/subscriptions", subscriptions=["lobby"], principals=[email]
    ),
    **{
        f"GET /messages {operator}": _narrowing(operator)
        for operator in ("sender", "dm", "dm-including", "mentions")
    },
}


@pytest.fixture
def ben(chat: Chat) -> Person:
    chat.person("root", role="owner", channels=["lobby"])
    return chat.person("ben", settings={"email_address_visibility": 4}, channels=["lobby"])


@pytest.mark.parametrize("role", ["moderator", "member", "guest"])
def test_a_hidden_address_gets_the_same_answer_as_an_unused_one(chat, ben, role):
    eve = chat.person("eve", role=role, channels=["lobby"])
    for name, call in CALLS.items():
        taken, free = call(eve, TAKEN), call(eve, FREE)
        assert (taken.status, taken.body.replace(b"ben@", b"nix@")) == (free.status, free.body), (
            name
        )
    assert chat.stranger.raw("GET", f"/avatar/{TAKEN}").status == 401
    assert [eve.raw("GET", f"/avatar/{each}").status for each in (TAKEN, FREE)] == [404, 404]


@pytest.mark.parametrize("role", ["moderator", "member", "guest"])
def test_an_unproven_address_is_refused(chat, role):
    eve = chat.person("eve", role=role)

    eve.patch("/settings", email="boss@bank.example").fails(
        "Only administrators can change addresses in this organization."
    )

    assert eve.record.email == "eve@example.com"
    eve.patch("/settings", email=eve.email, enter_sends=True).succeeds()


def test_an_administrator_may_set_addresses(chat):
    root = chat.person("root", role="owner")

    root.patch("/settings", email="boss@example.com").succeeds()

    assert root.record.email == "boss@example.com"


def test_addresses_cannot_be_changed_where_the_accounts_api_is_off(start_server):
    root = Chat.found(start_server(accounts_api=False), "").person("root", role="owner")

    root.patch("/settings", email="boss@example.com").fails(
        "User not authorized to change user emails"
    )
    root.patch("/settings", email=root.email, enter_sends=True).succeeds()
