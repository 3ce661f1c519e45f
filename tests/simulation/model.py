"""The model: what people know to be stored, from the answers that they got.

Everything that a person creates has a text of its own, its *mark*. A call whose answer was lost may
or may not have been done, so the model keeps a set of what may be true. A 503 or 429 promises that
nothing was written.
"""

from dataclasses import dataclass, field
from typing import Any

ABSENT = None  # the content of what does not exist


@dataclass
class Thing:
    """`allowed` are the contents that it may have now; ABSENT is one of them if it may be gone."""

    kind: str
    mark: str
    owner: int
    allowed: set[str | None] = field(default_factory=lambda: {ABSENT})
    number: Any = None  # its id, if an answer has named it
    info: dict[str, Any] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)  # for the story

    def may_become(self, content: str | None) -> None:
        """A call was made that sets the content."""
        self.allowed.add(content)

    def became(self, content: str | None) -> None:
        """The call was answered with success. Calls before it whose answers were lost may still
        be on their way, so what they set stays allowed."""
        self.allowed = {content} | self.info.setdefault("lost", set())

    def refused(self, before: set[str | None]) -> None:
        """The call was answered with an error that promises that nothing was done."""
        self.allowed = before

    def lost(self, content: str | None) -> None:
        """Its answer did not arrive."""
        self.info.setdefault("lost", set()).add(content)

    @property
    def is_certain(self) -> bool:
        return len(self.allowed) == 1 and self.allowed != {ABSENT}


class Model:
    def __init__(self) -> None:
        self.things: dict[str, Thing] = {}
        self._count = 0

    def new(self, kind: str, owner: int) -> Thing:
        self._count += 1
        # One word of letters, so that search finds it and names allow it.
        thing = Thing(kind, f"{kind}{owner}x{self._count}", owner)
        self.things[thing.mark] = thing
        return thing

    def of(self, kind: str, owner: int | None = None) -> list[Thing]:
        """Those that certainly exist and whose id is known."""
        return [
            each
            for each in self.things.values()
            if each.kind == kind
            and each.is_certain
            and each.number is not None
            and owner in (None, each.owner)
        ]
