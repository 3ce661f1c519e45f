"""Re-rendering: updates the HTML of messages that an older renderer made.

Rendering is slow and runs outside the transaction. A message that was edited meanwhile is up to
date and stays.
"""

from collections.abc import Mapping

from tertulia import events, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.events.audience import NoClients
from tertulia.events.types.messages.edits import MessagesInvalidated
from tertulia.markdown import VERSION


def realms_with_outdated(tx: Tx) -> list[int]:
    """Organizations that may have messages with an older rendering."""
    return storage.housekeeping_queries.with_old_renderings(tx, VERSION)


def outdated(tx: Tx, after_id: int, limit: int) -> list[Message]:
    """Messages with an older rendering, after `after_id`."""
    return storage.messages.rendered_before(tx, VERSION, after_id, limit)


def rerender_message(tx: Tx, drafts: Mapping[int, Draft]) -> None:
    """Store the HTML of these drafts. Mentions stay as they were."""
    for message_id, draft in drafts.items():
        storage.messages.set_rendering(tx, message_id, draft)
    if drafts:
        events.log.announce(tx, MessagesInvalidated(sorted(drafts)), to=NoClients())


def finish(tx: Tx) -> None:
    storage.organization.set_render_version(tx, VERSION)
