"""Gravatars: a picture that clients find by an e-mail address is offered only to users who may see
the address."""

import hashlib
from typing import Any

import pytest
from tests.support.people import Chat, Person

from tertulia.database.tx import Tx

VISIBLE_TO = {1: "admin moderator member guest", 2: "admin moderator member"} | {
    5: "admin moderator",
    3: "admin",
    4: "",
}


@pytest.fixture
def ben(own_chat: Chat) -> Person:
    """A user with a Gravatar."""

    def use_gravatar(tx: Tx) -> None:
        tx.execute("UPDATE account SET avatar_source = 'G' WHERE full_name = 'Ben'")

    found = own_chat.person("ben", role="owner")
    own_chat.write(use_gravatar)
    return found


@pytest.mark.parametrize("visibility", VISIBLE_TO)
def test_only_users_who_see_the_address_get_the_gravatar_option(ben, visibility):
    viewers = {
        role: ben.chat.person(role, role=role) for role in ("admin", "moderator", "member", "guest")
    }
    chosen = {"email_address_visibility": visibility, "timezone": "Asia/Tokyo"}
    ben.patch("/settings", **chosen).succeeds()

    for role, viewer in {**viewers, "himself": ben}.items():
        listed = {each["user_id"]: each for each in viewer.get("/users").succeeds()["members"]}
        state = viewer.registers(fetch_event_types=["realm_user"], client_gravatar=True)
        found: list[dict[str, Any]] = [
            viewer.get(f"/users/{ben.id}").succeeds()["user"],
            listed[ben.id],
            next(each for each in state["realm_users"] if each["user_id"] == ben.id),
        ]
        for each in found:
            sees = role in VISIBLE_TO[visibility].split() or viewer is ben
            assert (each["avatar_url"] is None) is sees, role
            assert (each["delivery_email"] == ben.email) is sees, role
            assert visibility == 1 or real_fingerprint(ben) not in str(each), role


@pytest.mark.parametrize("visibility", VISIBLE_TO)
def test_messages_omit_the_avatar_only_where_all_see_the_address(ben, visibility):
    """The content of a message is the same for all readers."""
    eve = ben.chat.person("eve", role="guest", channels=["kitchen"])
    ben.joins("kitchen")
    ben.patch("/settings", email_address_visibility=visibility).succeeds()
    queue = eve.listens_for("message", client_gravatar=True)
    ben.says("Soup's on", to="kitchen > lunch")

    fetched = eve.get("/messages", anchor="newest", num_before=1, client_gravatar=True)

    for event in (queue.next()["message"], fetched.succeeds()["messages"][0]):
        assert (event["avatar_url"] is None) is (visibility == 1)
        assert visibility == 1 or real_fingerprint(ben) not in str(event)


def real_fingerprint(person: Person) -> str:
    return hashlib.md5(person.email.encode(), usedforsecurity=False).hexdigest()
