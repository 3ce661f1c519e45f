"""Updates the HTML of messages that an older renderer made, in small batches.

Rendering is slow and runs outside the transaction. A message that was edited meanwhile is up to
date and stays.
"""

import asyncio
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from tertulia import actions, domain, events, storage
from tertulia.actions.messages.draft import Author
from tertulia.database import Database, OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Message
from tertulia.errors import ClientError
from tertulia.events.audience import NoClients
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.events.types.messages.edits import MessagesInvalidated
from tertulia.features.feature import Feature
from tertulia.jobs.runner import for_each, leader_job
from tertulia.markdown import VERSION


def realms_with_outdated(tx: Tx) -> list[int]:
    """Organizations that may have messages with an older rendering."""
    return storage.housekeeping_queries.with_old_renderings(tx, VERSION)


def outdated(tx: Tx, after_id: int, limit: int) -> list[Message]:
    """Messages with an older rendering, after `after_id`."""
    return storage.messages.table.rendered_before(tx, VERSION, after_id, limit)


def rerender_message(tx: Tx, drafts: Mapping[int, Draft]) -> None:
    """Store the HTML of these drafts. Mentions stay as they were."""
    for message_id, draft in drafts.items():
        storage.messages.table.set_rendering(tx, message_id, draft)
    if drafts:
        events.log.announce(tx, MessagesInvalidated(sorted(drafts)), to=NoClients())


def finish(tx: Tx) -> None:
    storage.organization.realms.set_render_version(tx, VERSION)


# --- job ---


BATCH_SIZE = 100
PAUSE_SECONDS = 0.02  # between two batches, so that requests are served


async def rerender_all(database: Database, delivery: Delivery) -> None:
    """Re-render the outdated messages of every organization. Usually there are none."""

    async def run_once(realm_id: int) -> None:
        db = database.of(realm_id)
        if await db.read(outdated, 0, 1):
            org = await delivery.follower.finder.find(realm_id)
            if org is not None:
                await _rerender_organization(db, org)
        await db.write(finish)

    await for_each(await database.of(0).query(realms_with_outdated), run_once)


async def _rerender_organization(db: OrgDatabase, org: Organization) -> None:
    done_to = 0
    while batch := await db.read(outdated, done_to, BATCH_SIZE):
        drafts = {}
        for message in batch:
            author = Author(db, org, org.users[message.sender_id])
            try:
                draft = await actions.messages.draft.compose(
                    author, message.content, message.client, None
                )
            except ClientError:
                continue  # a message that fails to render keeps its old HTML
            previews = domain.messages.link_previews.previews_of(message.rendered)
            drafts[message.id] = replace(draft, rendered=draft.rendered + previews)
        await db.write(rerender_message, drafts)
        done_to = batch[-1].id
        await asyncio.sleep(PAUSE_SECONDS)


FEATURE = Feature(
    jobs=lambda services: [
        leader_job(
            "rerendering",
            3600,
            partial(rerender_all, services.database, services.delivery),
            run_at_start=True,
        )
    ]
)
