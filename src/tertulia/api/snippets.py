"""Saved snippets: listing, saving, editing and deleting one's own."""

from typing import Annotated

from tertulia.actions import snippets
from tertulia.api.call import Call
from tertulia.domain import limits
from tertulia.events.types.snippets import SnippetObject, snippet_object
from tertulia.http.replies import Reply, ok
from tertulia.http.rules import MaxLength, NoNul, NotBlank, Stripped
from tertulia.storage import snippets as stored

Title = Annotated[str, Stripped, NotBlank, MaxLength(limits.SNIPPET_TITLE_LENGTH), NoNul]
Content = Annotated[str, NotBlank, MaxLength(limits.MESSAGE_LENGTH), NoNul]


class Snippets(Reply):
    saved_snippets: list[SnippetObject]


class SnippetId(Reply):
    saved_snippet_id: int


async def fetch(call: Call) -> Snippets:
    """All snippets of the caller."""
    found = await call.db.read(stored.of_user, call.user.id)
    return Snippets(saved_snippets=[snippet_object(each) for each in found])


async def add(call: Call, *, title: Title, content: Content) -> SnippetId:
    """Save a snippet."""
    return SnippetId(saved_snippet_id=await call.db.write(snippets.add, call.user, title, content))


async def edit(
    call: Call, saved_snippet_id: int, *, title: Title | None = None, content: Content | None = None
) -> Reply:
    """Change the title or the content of a snippet."""
    await call.db.write(snippets.edit, call.user, saved_snippet_id, title, content)
    return ok()


async def delete(call: Call, saved_snippet_id: int) -> Reply:
    """Delete a snippet."""
    await call.db.write(snippets.delete, call.user, saved_snippet_id)
    return ok()
