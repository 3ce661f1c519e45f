"""Alert words: texts that notify a user when a message contains them.

The core finds them while a message is composed (`domain/personal/alert_words.py`).
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec

from tertulia import events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Users
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import MaxItems, MaxLength, NoNul, Stripped
from tertulia.http.replies import Reply
from tertulia.wire import Doc, WireEvent

MAX_WORDS = 500  # per user
Word = Annotated[str, Stripped, MaxLength(100), NoNul]
AlertWordList = Annotated[list[str], Doc("The alert words of the user.")]
Words = Annotated[list[Word], MaxItems(MAX_WORDS), Doc("The alert words.", example=["tea"])]


class AlertWordsChanged(Event, frozen=True, kind="alert_words"):
    """A user's alert words changed. Only they receive it, with the whole list."""

    user_id: int
    words: list[str] = []

    class Wire(WireEvent, tag="alert_words"):
        alert_words: AlertWordList

    def touched(self) -> Invalidated:
        return Invalidated(alert_words={self.user_id})

    def completed(self, tx: Tx) -> "AlertWordsChanged":
        return msgspec.structs.replace(
            self, words=storage.personal.alert_words.of_user(tx, self.user_id)
        )

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.words)


# --- actions ---


def add(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Add words. Blank and known ones are ignored. Returns all words."""
    storage.personal.alert_words.insert(tx, user.id, [word for word in words if word])
    known = storage.personal.alert_words.of_user(tx, user.id)
    if len(known) > MAX_WORDS:
        raise TooMany("alert words", MAX_WORDS)
    events.log.announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return known


def delete(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Remove words, ignoring case. Unknown ones are ignored. Returns the remaining words."""
    storage.personal.alert_words.delete(tx, user.id, words)
    events.log.announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return storage.personal.alert_words.of_user(tx, user.id)


# --- endpoints ---


class AlertWords(Reply):
    alert_words: AlertWordList


async def fetch(call: Call) -> AlertWords:
    """List the caller's alert words."""
    known = await call.db.read(storage.personal.alert_words.of_user, call.user.id)
    return AlertWords(alert_words=known)


async def create(call: Call, *, alert_words: Words) -> AlertWords:
    """Add alert words; returns all of them."""
    known = await call.db.write(add, call.user, alert_words)
    return AlertWords(alert_words=known)


async def remove(call: Call, *, alert_words: Words) -> AlertWords:
    """Remove alert words; returns the remaining ones."""
    left = await call.db.write(delete, call.user, alert_words)
    return AlertWords(alert_words=left)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for row in export.rows("alert_word"):
        yield {"user_profile": row["user_id"], "word": row["word"]}


FEATURE = Feature(
    register={
        "alert_words": ListedPart(
            "alert_word", storage.personal.alert_words.of_user, str, doc="The user's alert words."
        )
    },
    exports={"zerver_alertword": _exported},
)
