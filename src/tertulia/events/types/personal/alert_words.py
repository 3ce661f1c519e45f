"""The event of a user's alert words."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class AlertWordsChanged(Event, frozen=True):
    """A user's alert words changed. Only they receive it, with the whole list."""

    kind: ClassVar[str] = "alert_words"
    types: ClassVar[tuple[str, ...]] = ("alert_words",)

    user_id: int
    words: list[str] = []

    def touched(self) -> Invalidated:
        return Invalidated(alert_words={self.user_id})

    def completed(self, tx: Tx) -> "AlertWordsChanged":
        return msgspec.structs.replace(
            self, words=storage.personal.alert_words.of_user(tx, self.user_id)
        )

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"alert_words": self.words}
