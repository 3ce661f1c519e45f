"""Drafts in API format, and their events.

The log holds ids, not content, so a deleted draft is gone from the log as well.
"""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.personal.drafts import SavedDraft
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class DraftObject(msgspec.Struct):
    id: int
    type: str
    to: list[int]
    topic: str
    content: str
    timestamp: int


def draft_object(draft: SavedDraft) -> DraftObject:
    wording = draft.content
    return DraftObject(
        id=draft.id,
        type=draft.type,
        to=wording.user_ids if wording.channel_id is None else [wording.channel_id],
        topic=wording.topic,
        content=wording.content,
        timestamp=int(wording.edited_at),
    )


class DraftsAdded(Event, frozen=True):
    kind: ClassVar[str] = "drafts_added"
    types: ClassVar[tuple[str, ...]] = ("drafts",)

    draft_ids: list[int]
    drafts: list[DraftObject] = []

    def completed(self, tx: Tx) -> "DraftsAdded":
        found = [
            draft_object(draft) for draft in storage.personal.drafts.find_many(tx, self.draft_ids)
        ]
        return msgspec.structs.replace(self, drafts=found)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "add", "drafts": self.drafts}


class DraftEdited(Event, frozen=True):
    kind: ClassVar[str] = "draft_edited"
    types: ClassVar[tuple[str, ...]] = ("drafts",)

    draft_id: int
    draft: DraftObject | None = None

    def completed(self, tx: Tx) -> "DraftEdited":
        for found in storage.personal.drafts.find_many(tx, [self.draft_id]):
            return msgspec.structs.replace(self, draft=draft_object(found))
        return self

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        if self.draft is not None:
            yield {"op": "update", "draft": self.draft}


class DraftDeleted(Event, frozen=True):
    kind: ClassVar[str] = "draft_deleted"
    types: ClassVar[tuple[str, ...]] = ("drafts",)

    draft_id: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "draft_id": self.draft_id}
