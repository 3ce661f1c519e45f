"""The state of an import: what is done, and the ids that the imported objects have here."""

from collections.abc import Iterable
from typing import Any, Self

import msgspec
from msgspec import field

from tertulia.transfer.importing.import_counts import Dropped


class ImportState(msgspec.Struct):
    people: dict[str, int] = field(default_factory=dict)
    channels: dict[str, int] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    emoji: dict[str, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    files: dict[str, list[Any]] = field(default_factory=dict)  # attachment, path and name
    avatars: int = 0  # number of processed avatars
    has_profile_data: bool = field(default=False, name="is_settled")  # the stored name
    imported: dict[str, int] = field(default_factory=dict, name="brought")  # the stored name
    dropped: Dropped = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    lost_channels: dict[str, int] = field(default_factory=dict)  # messages of unknown channels

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """Load a stored state; unknown fields of an older version are ignored."""
        return msgspec.convert(state, cls)

    def to_dict(self) -> dict[str, Any]:
        stored: dict[str, Any] = msgspec.to_builtins(self)
        return stored

    def count(self, kind: str, number: int = 1) -> None:
        self.imported[kind] = self.imported.get(kind, 0) + number

    def drop(self, kind: str, reason: str, number: int = 1) -> None:
        if number:
            reasons = self.dropped.setdefault(kind, {})
            reasons[reason] = reasons.get(reason, 0) + number

    def note(self, what: str, number: int = 1) -> None:
        if number:
            self.notes[what] = self.notes.get(what, 0) + number

    def people_of(self, keys: Iterable[str]) -> list[int]:
        """The ids of those users who were imported, each once."""
        return sorted({self.people[key] for key in keys if key in self.people})
