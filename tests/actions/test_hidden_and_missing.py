"""A hidden thing gets the same answer as a missing one, with the same number of queries."""

from typing import Any

import pytest

from tertulia import actions, features
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import ClientError
from tertulia.features.drafts import DraftFields

UNKNOWN = 987_654
WORDS = DraftFields("", [], "", "x")


class TableCounter(Tx):
    """A transaction that counts what is asked of the database."""

    __slots__ = ("asked",)

    def __init__(self, tx: Tx) -> None:
        super().__init__(tx._connection, tx.dialect, tx.realm_id, tx.now)
        self.asked = 0

    def one(self, sql: str, **params: Any) -> Row | None:
        self.asked += 1
        return super().one(sql, **params)

    def all(self, sql: str, **params: Any) -> list[Row]:
        self.asked += 1
        return super().all(sql, **params)


def questions(tx: Tx, lookup: Any, user: User, *args: Any) -> int:
    """The number of queries until a missing thing is reported."""
    counting = TableCounter(tx)
    try:
        assert lookup(counting, user, *args) is None
    except ClientError:
        pass
    return counting.asked


@pytest.fixture
def hidden(chat):
    """A member from whom everything of ana's is hidden, and a guest who knows no other user."""
    ana, ben = chat.person("ana", role="owner"), chat.person("ben")
    chat.permit("can_access_all_users_group", "members")
    ana.joins("vault", invite_only=True)
    draft = {"type": "", "to": [], "topic": "", "content": "x"}
    things = {
        "channel": chat.channel("vault").id,
        "draft": ana.post("/drafts", drafts=[draft]).succeeds()["ids"][0],
        "snippet": ana.post("/saved_snippets", title="x", content="y").succeeds()[
            "saved_snippet_id"
        ],
        "person": ana.id,
        "message": ana.says("psst", to="vault > x").id,
        "letter": ana.says("dear me", to=[ana]).id,
    }
    return chat, ben.record, chat.person("gus", role="guest").record, things


def test_hidden_and_missing_objects_take_the_same_queries(hidden):
    chat, ben, guest, things = hidden
    lookups: list[tuple[Any, User, str, tuple[Any, ...]]] = [
        (actions.channels.lookups.visible_to, ben, "channel", ()),
        (actions.channels.lookups.readable_by, ben, "channel", ()),
        (actions.channels.lookups.visible_to, guest, "channel", ()),
        (features.drafts.edit, ben, "draft", (WORDS,)),
        (features.drafts.delete, ben, "draft", ()),
        (features.snippets.edit, ben, "snippet", ("x", None)),
        (features.snippets.delete, ben, "snippet", ()),
        (actions.people.visible_users.find, guest, "person", ()),
        (actions.messages.access.visible_to, ben, "message", ()),
        (actions.messages.access.visible_to, ben, "letter", ()),
        (actions.messages.access.changeable, ben, "message", ()),
    ]

    for lookup, viewer, thing, more in lookups:
        there = chat.read(questions, lookup, viewer, things[thing], *more)
        nowhere = chat.read(questions, lookup, viewer, UNKNOWN, *more)
        assert abs(there - nowhere) <= 1, lookup
