"""Saved snippets in API format, and their events.

As with drafts, the log holds only the id.
"""

from collections.abc import Iterable
from typing import ClassVar, Literal

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.personal.snippets import Snippet
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class SnippetObject(msgspec.Struct):
    id: int
    title: str
    content: str
    date_created: int


def snippet_object(snippet: Snippet) -> SnippetObject:
    return SnippetObject(snippet.id, snippet.title, snippet.content, int(snippet.created_at))


class SnippetSaved(Event, frozen=True):
    """A snippet is new or changed."""

    kind: ClassVar[str] = "snippet_saved"
    types: ClassVar[tuple[str, ...]] = ("saved_snippets",)

    op: Literal["add", "update"]
    snippet_id: int
    snippet: SnippetObject | None = None

    def completed(self, tx: Tx) -> "SnippetSaved":
        found = storage.personal.snippets.find(tx, self.snippet_id)
        if found is None:
            return self
        return msgspec.structs.replace(self, snippet=snippet_object(found))

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        if self.snippet is not None:
            yield {"op": self.op, "saved_snippet": self.snippet}


class SnippetDeleted(Event, frozen=True):
    kind: ClassVar[str] = "snippet_deleted"
    types: ClassVar[tuple[str, ...]] = ("saved_snippets",)

    snippet_id: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "saved_snippet_id": self.snippet_id}
