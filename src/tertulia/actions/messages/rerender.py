"""Rendering again: messages whose HTML was made by an older renderer get that of this one.

Rendering is slow and stays out of the transaction. A message that was edited meanwhile has been
rendered anew, and is left as it is.
"""

from collections.abc import Mapping

from tertulia import events, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.events.audience import Nobody
from tertulia.events.types.messages.edits import MessagesInvalidated
from tertulia.markdown import VERSION


def realms_in_need(tx: Tx) -> list[int]:
    """Where some messages may have been rendered by an older version."""
    return storage.housekeeping_queries.with_old_renderings(tx, VERSION)


def outdated(tx: Tx, after_id: int, most: int) -> list[Message]:
    """Messages with an older rendering, from the one after `after_id` on."""
    return storage.messages.rendered_before(tx, VERSION, after_id, most)


def redo(tx: Tx, drafts: Mapping[int, Draft]) -> None:
    """Give messages the HTML of these drafts. Whom they have called stays as it was."""
    for message_id, draft in drafts.items():
        storage.messages.set_rendering(tx, message_id, draft)
    if drafts:
        events.log.announce(tx, MessagesInvalidated(sorted(drafts)), to=Nobody())


def finish(tx: Tx) -> None:
    storage.organization.set_render_version(tx, VERSION)
