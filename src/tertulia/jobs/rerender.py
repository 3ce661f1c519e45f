"""Renders messages again that an older version rendered, in small batches."""

import asyncio

from msgspec.structs import replace

from tertulia import actions, domain
from tertulia.actions.messages.draft import Author
from tertulia.database import Database, OrgDatabase
from tertulia.errors import ClientError
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.jobs.for_each import each

BATCH_SIZE = 100
PAUSE_SECONDS = 0.02  # between two batches, so that requests are served


async def rerender(database: Database, delivery: Delivery) -> None:
    """Re-render the outdated messages of every organization. Usually there are none."""

    async def run_once(realm_id: int) -> None:
        db = database.of(realm_id)
        if await db.read(actions.messages.rerender.outdated, 0, 1):
            org = await delivery.follower.finder.find(realm_id)
            if org is not None:
                await _rerender_all(db, org)
        await db.write(actions.messages.rerender.finish)

    await each(await database.of(0).query(actions.messages.rerender.realms_with_outdated), run_once)


async def _rerender_all(db: OrgDatabase, org: Organization) -> None:
    done_to = 0
    while batch := await db.read(actions.messages.rerender.outdated, done_to, BATCH_SIZE):
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
        await db.write(actions.messages.rerender.rerender_message, drafts)
        done_to = batch[-1].id
        await asyncio.sleep(PAUSE_SECONDS)
