"""What an import has brought so far, and under which numbers it is known here."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Here:
    people: dict[str, int] = field(default_factory=dict)
    channels: dict[str, int] = field(default_factory=dict)
    emoji: dict[str, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    files: dict[str, list[Any]] = field(default_factory=dict)  # attachment, path and name
    avatars: int = 0  # how many have been looked at
    is_settled: bool = False  # whether people have what is theirs
    brought: dict[str, int] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)

    def state(self) -> dict[str, Any]:
        return asdict(self)

    def count(self, kind: str, number: int = 1) -> None:
        self.brought[kind] = self.brought.get(kind, 0) + number

    def leave(self, kind: str, number: int = 1) -> None:
        self.left[kind] = self.left.get(kind, 0) + number

    def people_of(self, keys: Iterable[str]) -> list[int]:
        """Those of them who were brought, each once."""
        return sorted({self.people[key] for key in keys if key in self.people})
