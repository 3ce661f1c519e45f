"""Saved snippets of a user, visible only to them."""

from tertulia import domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.domain.personal.snippets import Snippet
from tertulia.errors import BadRequest
from tertulia.errors.personal import SnippetNotFound
from tertulia.events.audience import Users
from tertulia.events.types.personal.snippets import SnippetDeleted, SnippetSaved


def add(tx: Tx, user: User, title: str, content: str) -> int:
    if storage.personal.snippets.count_of(tx, user.id) >= domain.limits.MAX_SNIPPETS:
        raise BadRequest(f"Too many saved snippets (limit: {domain.limits.MAX_SNIPPETS})")
    snippet_id = storage.personal.snippets.insert(tx, user.id, title, content)
    events.log.announce(tx, SnippetSaved("add", snippet_id), to=Users([user.id]))
    return snippet_id


def edit(tx: Tx, user: User, snippet_id: int, title: str | None, content: str | None) -> None:
    """Apply the given changes."""
    known = _get_own(tx, user, snippet_id)
    if title is None and content is None:
        return
    storage.personal.snippets.update(
        tx,
        snippet_id,
        known.title if title is None else title,
        known.content if content is None else content,
    )
    events.log.announce(tx, SnippetSaved("update", snippet_id), to=Users([user.id]))


def delete(tx: Tx, user: User, snippet_id: int) -> None:
    _get_own(tx, user, snippet_id)
    storage.personal.snippets.delete(tx, snippet_id)
    events.log.announce(tx, SnippetDeleted(snippet_id), to=Users([user.id]))


def _get_own(tx: Tx, user: User, snippet_id: int) -> Snippet:
    found = storage.personal.snippets.find_of(tx, user.id, snippet_id)
    if found is None:
        raise SnippetNotFound()
    return found
