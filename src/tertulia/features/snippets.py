"""Saved snippets: texts that a user keeps to paste into messages. Only their owner sees them.

The log holds only ids, so a deleted snippet is gone from the log as well.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from tertulia import domain, events
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import ClientError
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import Example, MaxLength, NoNul, NotBlank, Stripped
from tertulia.http.replies import Reply
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import CreationTime, MarkdownText

MAX_SNIPPETS = 1000  # per user
MAX_TITLE_LENGTH = 60

Title = Annotated[
    str, Stripped, NotBlank, MaxLength(MAX_TITLE_LENGTH), NoNul, Doc("The title.", example="Recipe")
]
Content = Annotated[
    str,
    NotBlank,
    MaxLength(domain.limits.MAX_MESSAGE_LENGTH),
    NoNul,
    Doc("The text, in Markdown.", example="Soup is on!"),
]
SavedSnippetId = Annotated[int, Doc("The id of the snippet.", example=5)]


class Snippet(Record, frozen=True, table="saved_snippet"):
    id: int
    title: str
    content: str
    created_at: float


class SnippetNotFound(ClientError):
    status = 404
    message = "Saved snippet does not exist."
    problem = "not-found"


def of_user(tx: Tx, user_id: int) -> list[Snippet]:
    return Snippet.where(tx, "id", user_id=user_id)


# --- events ---


class SnippetObject(msgspec.Struct):
    id: SavedSnippetId
    title: Annotated[str, Doc("The title.")]
    content: MarkdownText
    date_created: CreationTime


def snippet_object(snippet: Snippet) -> SnippetObject:
    return SnippetObject(snippet.id, snippet.title, snippet.content, int(snippet.created_at))


class SnippetSaved(Event, frozen=True, kind="snippet_saved"):
    """A snippet is new or changed."""

    op: Literal["add", "update"]
    snippet_id: int
    snippet: SnippetObject | None = None

    class Wire(WireEvent, tag="saved_snippets"):
        op: Literal["add", "update"]
        saved_snippet: Annotated[SnippetObject, Doc("The saved snippet.")]

    def completed(self, tx: Tx) -> "SnippetSaved":
        found = Snippet.find(tx, id=self.snippet_id)
        return (
            self if found is None else msgspec.structs.replace(self, snippet=snippet_object(found))
        )

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        if self.snippet is not None:
            yield self.Wire(self.op, self.snippet)


class SnippetDeleted(Event, frozen=True, kind="snippet_deleted"):
    snippet_id: int

    class Wire(WireEvent, tag="saved_snippets"):
        op: Literal["remove"]
        saved_snippet_id: SavedSnippetId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.snippet_id)


# --- actions ---


def add(tx: Tx, user: User, title: str, content: str) -> int:
    if Snippet.count(tx, user_id=user.id) >= MAX_SNIPPETS:
        raise TooMany("saved snippets", MAX_SNIPPETS)
    snippet_id = Snippet.insert(
        tx, user_id=user.id, title=title, content=content, created_at=tx.now
    )
    events.log.announce(tx, SnippetSaved("add", snippet_id), to=Users([user.id]))
    return snippet_id


def edit(tx: Tx, user: User, snippet_id: int, title: str | None, content: str | None) -> None:
    """Apply the given changes."""
    _check_own(tx, user, snippet_id)
    given = {"title": title, "content": content}
    changes = {name: value for name, value in given.items() if value is not None}
    if changes:
        Snippet.update(tx, snippet_id, **changes)
        events.log.announce(tx, SnippetSaved("update", snippet_id), to=Users([user.id]))


def delete(tx: Tx, user: User, snippet_id: int) -> None:
    _check_own(tx, user, snippet_id)
    Snippet.delete(tx, id=snippet_id)
    events.log.announce(tx, SnippetDeleted(snippet_id), to=Users([user.id]))


def _check_own(tx: Tx, user: User, snippet_id: int) -> None:
    if not Snippet.exists(tx, id=snippet_id, user_id=user.id):
        raise SnippetNotFound()


# --- endpoints ---


class Snippets(Reply):
    saved_snippets: Annotated[list[SnippetObject], Doc("The snippets, in the order of creation.")]


class SnippetId(Reply):
    saved_snippet_id: SavedSnippetId


async def fetch(call: Call) -> Snippets:
    """List the caller's snippets."""
    found = await call.db.read(of_user, call.user.id)
    return Snippets(saved_snippets=[snippet_object(each) for each in found])


async def create(call: Call, *, title: Title, content: Content) -> SnippetId:
    """Save a snippet."""
    return SnippetId(saved_snippet_id=await call.db.write(add, call.user, title, content))


async def update(
    call: Call,
    saved_snippet_id: SavedSnippetId,
    *,
    title: Annotated[Title | None, Example("Recipe")] = None,
    content: Content | None = None,
) -> None:
    """Change the title or the content of a snippet."""
    await call.db.write(edit, call.user, saved_snippet_id, title, content)


async def remove(call: Call, saved_snippet_id: SavedSnippetId) -> None:
    """Delete a snippet."""
    await call.db.write(delete, call.user, saved_snippet_id)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for row in export.rows("saved_snippet"):
        yield {
            "id": row["id"],
            "realm": row["realm_id"],
            "user_profile": row["user_id"],
            "title": row["title"],
            "content": row["content"],
            "date_created": row["created_at"],
        }


FEATURE = Feature(
    register={
        "saved_snippets": ListedPart(
            "saved_snippet", of_user, snippet_object, doc="The user's snippets."
        )
    },
    exports={"zerver_savedsnippet": _exported},
)
