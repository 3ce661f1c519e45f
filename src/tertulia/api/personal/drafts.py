"""Drafts: listing, creating, editing and deleting the caller's."""

from typing import Annotated, Literal

import msgspec

from tertulia import actions, domain, events
from tertulia.actions.personal.drafts import Words
from tertulia.api.call import Call
from tertulia.events.types.personal.drafts import DraftObject
from tertulia.http.parameter_rules import AtMost, Id, MaxItems, NotBlank
from tertulia.http.replies import Reply

LATEST = 253_402_300_799  # the last second of the year 9999


class DraftFields(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["", "stream", "private"]
    to: Annotated[list[Id], MaxItems(domain.limits.MAX_RECIPIENTS_PER_MESSAGE)]
    topic: str
    content: Annotated[str, NotBlank]
    timestamp: Annotated[float | None, AtMost(LATEST)] = None

    def text(self) -> Words:
        return self.type, self.to, self.topic, self.content, self.timestamp


class Drafts(Reply):
    count: int
    drafts: list[DraftObject]


class DraftIds(Reply):
    ids: list[int]


async def fetch(call: Call) -> Drafts:
    """List the caller's drafts, oldest edit first."""
    found = await call.db.read(actions.personal.drafts.list_all, call.user)
    return Drafts(
        count=len(found),
        drafts=[events.types.personal.drafts.draft_object(draft) for draft in found],
    )


async def add(
    call: Call, *, drafts: Annotated[list[DraftFields], MaxItems(domain.limits.MAX_DRAFTS)]
) -> DraftIds:
    """Create drafts: all or none."""
    texts = [draft.text() for draft in drafts]
    return DraftIds(ids=await call.db.write(actions.personal.drafts.add, call.user, texts))


async def edit(call: Call, draft_id: int, *, draft: DraftFields) -> None:
    """Replace a draft."""
    await call.db.write(actions.personal.drafts.edit, call.user, draft_id, draft.text())


async def delete(call: Call, draft_id: int) -> None:
    """Delete a draft."""
    await call.db.write(actions.personal.drafts.delete, call.user, draft_id)
