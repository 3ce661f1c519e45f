"""The people of the access tables: one of each kind, and the tables.

New members are within the waiting period, and only full members may create channels and groups and
add users. One account is deactivated. One caller is an owner of another organization, who uses our
ids and names at their own host.
"""

from collections.abc import Callable
from functools import cache
from typing import Generic, TypeVar

from tests.support.people import Chat, Person

from tertulia import actions
from tertulia.database.tx import Tx

WHO = ["owner", "admin", "mod", "full", "new", "guest", "bot", "other", "left", "gone", "far"]

Table = dict[str, dict[str, str]]
P = TypeVar("P")


class RecreatedSubjects(Generic[P]):
    """What the calls are about, recreated once a call may have changed it."""

    def __init__(self, make: Callable[[], P], changing: str) -> None:
        self._make = make
        self._changing = changing  # the first call that changes it, even if it is refused
        self._made: P | None = None

    @property
    def now(self) -> P:
        if self._made is None:
            self._made = self._make()
        return self._made

    def after(self, call: str, word: str) -> str:
        """`ok` is a successful change; all other results leave things as they are."""
        if word == "ok" or call == self._changing:
            self._made = None
        return word


def create_people(chat: Chat) -> dict[str, Person]:
    elsewhere = Chat.found(chat.server)
    people = {
        "owner": chat.person("owner", role="owner"),
        "admin": chat.person("admin", role="admin"),
        "mod": chat.person("mod", role="moderator"),
        "full": chat.person("full"),
        "new": chat.person("new"),
        "guest": chat.person("guest", role="guest"),
        "other": chat.person("other"),
        "left": chat.person("left"),
        "gone": chat.person("gone"),
        "insider": chat.person("insider"),
        "far": elsewhere.person("far", role="owner"),
    }
    people["bot"] = chat.person("bot", bot="generic", owner=people["other"])
    old = [people[name].id for name in ("full", "other", "left", "insider", "bot")]
    chat.write(_make_old, old)
    chat.write(actions.people.users.deactivate, people["gone"].id)
    chat.set("waiting_period_threshold", 3)
    chat.permit("can_create_public_channel_group", "fullmembers")
    chat.permit("can_add_subscribers_group", "fullmembers")
    chat.permit("can_create_groups", "fullmembers")
    return people


@cache
def read(table: str) -> Table:
    first, *lines = table.strip("\n").splitlines()
    assert first.split() == WHO
    rows = {line[:22].strip(): line[22:].split() for line in lines}
    return {call: dict(zip(WHO, words, strict=True)) for call, words in rows.items()}


def written(rows: Table) -> list[str]:
    """One line for each call, so that a difference shows where it is."""
    return [
        f"{call}: " + ", ".join(f"{who} {word}" for who, word in words.items())
        for call, words in rows.items()
    ]


def _make_old(tx: Tx, ids: list[int]) -> None:
    """Make some users members for long."""
    tx.execute("UPDATE account SET joined_at = 0 WHERE id IN :ids", ids=ids)
