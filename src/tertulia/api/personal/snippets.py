"""Saved snippets: listing, creating, editing and deleting the caller's."""

from typing import Annotated

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.events.types.personal.snippets import SnippetObject
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank, Stripped
from tertulia.http.replies import Reply

Title = Annotated[str, Stripped, NotBlank, MaxLength(domain.limits.MAX_SNIPPET_TITLE_LENGTH), NoNul]
Content = Annotated[str, NotBlank, MaxLength(domain.limits.MAX_MESSAGE_LENGTH), NoNul]


class Snippets(Reply):
    saved_snippets: list[SnippetObject]


class SnippetId(Reply):
    saved_snippet_id: int


async def fetch(call: Call) -> Snippets:
    """List the caller's snippets."""
    found = await call.db.read(storage.personal.snippets.of_user, call.user.id)
    return Snippets(
        saved_snippets=[events.types.personal.snippets.snippet_object(each) for each in found]
    )


async def add(call: Call, *, title: Title, content: Content) -> SnippetId:
    """Save a snippet."""
    saved_snippet_id = await call.db.write(actions.personal.snippets.add, call.user, title, content)
    return SnippetId(saved_snippet_id=saved_snippet_id)


async def edit(
    call: Call, saved_snippet_id: int, *, title: Title | None = None, content: Content | None = None
) -> None:
    """Change the title or the content of a snippet."""
    await call.db.write(actions.personal.snippets.edit, call.user, saved_snippet_id, title, content)


async def delete(call: Call, saved_snippet_id: int) -> None:
    """Delete a snippet."""
    await call.db.write(actions.personal.snippets.delete, call.user, saved_snippet_id)
