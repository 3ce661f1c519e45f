"""Helpers for tests of user groups."""

from typing import Any

from tests.support.event_queue import EventQueue
from tests.support.people import Person

KNOWS_DEACTIVATED = {
    "client_capabilities": {
        "notification_settings_null": True,
        "include_deactivated_groups": True,
    }
}


def make(creator: Person, name: str, members: tuple[Person, ...] = (), **params: Any) -> int:
    """Create a group and return its id."""
    made = creator.post(
        "/user_groups/create",
        name=name,
        description=params.pop("description", f"The {name}"),
        members=[person.id for person in members],
        **params,
    )
    group_id: int = made.succeeds()["group_id"]
    return group_id


def shown(person: Person, group_id: int) -> dict[str, Any]:
    found = person.get("/user_groups", include_deactivated_groups=True).succeeds()
    (group,) = (each for each in found["user_groups"] if each["id"] == group_id)
    assert isinstance(group, dict)
    return group


def only(*people: Person, groups: tuple[int, ...] = ()) -> dict[str, list[int]]:
    """A permission value that names users and groups directly."""
    ids = [person.id for person in people]
    return {"direct_members": ids, "direct_subgroups": list(groups)}


def group_event(op: str, group_id: int, **more: Any) -> dict[str, Any]:
    return {"type": "user_group", "op": op, "group_id": group_id, **more}


def listens(person: Person) -> EventQueue:
    return person.listens_for("user_group", **KNOWS_DEACTIVATED)
