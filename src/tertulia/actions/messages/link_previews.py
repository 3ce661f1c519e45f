"""Previews of linked pages below messages.

A message with links gets an item in the outbox. `jobs/link_preview_fetcher.py` fetches the pages
outside of any transaction; then the HTML of the message is replaced, which clients get as an edit
of the rendering only.
"""

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.link_previews import LinkPreview
from tertulia.domain.messages.message import Message
from tertulia.domain.outbox import OutboxItem
from tertulia.domain.people.user import User
from tertulia.events.types.messages.edits import RenderingUpdated

CACHED_SECONDS = 7 * 86_400.0


class PreviewTask(msgspec.Struct, frozen=True):
    """A message, the addresses in it, and what is already known of them."""

    message: Message
    urls: list[str]
    known: dict[str, LinkPreview]


def take(tx: Tx, item: OutboxItem) -> PreviewTask | None:
    """Claim an item. None if another server has, or there is nothing to do any more."""
    if not actions.outbox.claim(tx, [item]):
        return None
    _, message_id = item.subjects
    message = storage.messages.find(tx, message_id)
    is_wanted = storage.organization.current(tx).setting("inline_url_embed_preview")
    if (
        message is None
        or not is_wanted
        or storage.link_previews.are_removed_from(tx, message_id)
        or not (urls := domain.messages.link_previews.links_in(message.rendered))
    ):
        storage.outbox.delete(tx, item)
        return None
    known = storage.link_previews.find(tx, urls, tx.now - CACHED_SECONDS)
    return PreviewTask(message, urls, known)


def finish(tx: Tx, item: OutboxItem, urls: list[str], fetched: list[LinkPreview]) -> None:
    """Store what was fetched, and show it below the message if that still has the same links."""
    storage.link_previews.store(tx, fetched)
    storage.outbox.delete(tx, item)
    _, message_id = item.subjects
    message = storage.messages.find(tx, message_id)
    if message is None or storage.link_previews.are_removed_from(tx, message_id):
        return
    if domain.messages.link_previews.links_in(message.rendered) != urls:
        return  # edited meanwhile; the edit has its own item
    found = storage.link_previews.find(tx, urls, tx.now - CACHED_SECONDS)
    previews = [found[url] for url in urls if url in found]
    _show(tx, message, domain.messages.link_previews.with_previews(message.rendered, previews))


def remove(tx: Tx, user: User, message_id: int) -> None:
    """Remove the previews of a message for good. Its sender and users who may delete it can."""
    message = actions.messages.deletion.find_removable(tx, user, message_id)
    storage.link_previews.remove_from(tx, message.id)
    _show(tx, message, domain.messages.link_previews.without_previews(message.rendered))


def _show(tx: Tx, message: Message, rendered: str) -> None:
    if rendered == message.rendered:
        return
    storage.messages.set_html(tx, message.id, rendered)
    channel = None
    if message.channel_id is not None:
        channel = storage.channels.find(tx, message.channel_id)
    events.log.announce(
        tx,
        RenderingUpdated(message.id, message.channel_id, tx.now),
        to=actions.messages.holders(tx, message, channel),
    )
