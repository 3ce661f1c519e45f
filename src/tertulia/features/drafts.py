"""Drafts: messages that a user has not sent yet. Only their owner sees them.

The log holds only ids, so a deleted draft is gone from the log as well.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.errors.messages import TopicTooLong
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import AtMost, Id, MaxItems, NotBlank
from tertulia.http.replies import Reply
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import MarkdownText, TopicName

MAX_DRAFTS = 1000  # per user; all of them are in the register response
EXAMPLE = {"type": "stream", "to": [7], "topic": "lunch", "content": "Soup is"}

DraftId = Annotated[int, Doc("The id of the draft.", example=5)]


class SavedDraft(Record, frozen=True, table="draft"):
    """A draft may have no destination yet."""

    id: int
    channel_id: int | None
    user_ids: list[int]
    topic: str
    content: str
    edited_at: float


class DraftFields(msgspec.Struct, forbid_unknown_fields=True):
    """A draft as clients send it."""

    type: Literal["", "stream", "private"]
    to: Annotated[list[Id], MaxItems(domain.limits.MAX_RECIPIENTS_PER_MESSAGE)]
    topic: str
    content: Annotated[str, NotBlank]
    timestamp: Annotated[float | None, AtMost(domain.limits.MAX_TIME)] = None


def of_user(tx: Tx, user_id: int) -> list[SavedDraft]:
    """Oldest edit first."""
    return SavedDraft.where(tx, "edited_at, id", user_id=user_id)


def insert(
    tx: Tx,
    user_id: int,
    channel_id: int | None,
    user_ids: list[int],
    topic: str,
    content: str,
    edited_at: float,
) -> int:
    return SavedDraft.insert(
        tx,
        user_id=user_id,
        channel_id=channel_id,
        user_ids=user_ids,
        topic=topic,
        content=content,
        edited_at=edited_at,
    )


# --- events ---


class DraftObject(msgspec.Struct):
    id: DraftId
    type: Annotated[str, Doc("The type of recipient: `stream`, `private`, or empty.")]
    to: Annotated[list[int], Doc("The id of the channel, or user ids.")]
    topic: TopicName
    content: MarkdownText
    timestamp: Annotated[int, Doc("The time of the last edit, in UNIX seconds.")]


def draft_object(draft: SavedDraft) -> DraftObject:
    kind, to = "private" if draft.user_ids else "", draft.user_ids
    if draft.channel_id is not None:
        kind, to = "stream", [draft.channel_id]
    return DraftObject(draft.id, kind, to, draft.topic, draft.content, int(draft.edited_at))


class DraftsAdded(Event, frozen=True, kind="drafts_added"):
    draft_ids: list[int]
    drafts: list[DraftObject] = []

    class Wire(WireEvent, tag="drafts"):
        op: Literal["add"]
        drafts: Annotated[list[DraftObject], Doc("The new drafts.")]

    def completed(self, tx: Tx) -> "DraftsAdded":
        found = [draft_object(draft) for draft in SavedDraft.where(tx, "id", id=self.draft_ids)]
        return msgspec.structs.replace(self, drafts=found)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("add", self.drafts)


class DraftEdited(Event, frozen=True, kind="draft_edited"):
    draft_id: int
    draft: DraftObject | None = None

    class Wire(WireEvent, tag="drafts"):
        op: Literal["update"]
        draft: Annotated[DraftObject, Doc("The changed draft.")]

    def completed(self, tx: Tx) -> "DraftEdited":
        found = SavedDraft.find(tx, id=self.draft_id)
        if found is None:
            return self
        return msgspec.structs.replace(self, draft=draft_object(found))

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        if self.draft is not None:
            yield self.Wire("update", self.draft)


class DraftDeleted(Event, frozen=True, kind="draft_deleted"):
    draft_id: int

    class Wire(WireEvent, tag="drafts"):
        op: Literal["remove"]
        draft_id: DraftId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.draft_id)


# --- actions ---


def list_all(tx: Tx, user: User) -> list[SavedDraft]:
    _check_synchronizes(tx, user)
    return of_user(tx, user.id)


def add(tx: Tx, user: User, drafts: Sequence[DraftFields]) -> list[int]:
    """Store all of them, or none. Returns their ids."""
    _check_synchronizes(tx, user)
    destinations = _Destinations(tx, user, drafts)
    checked = [_checked(tx, user, fields, destinations) for fields in drafts]
    if SavedDraft.count(tx, user_id=user.id) + len(drafts) > MAX_DRAFTS:
        raise TooMany("drafts", MAX_DRAFTS)
    ids = SavedDraft.insert_all(tx, checked, user_id=user.id)
    events.log.announce(tx, DraftsAdded(ids), to=Users([user.id]))
    return ids


def edit(tx: Tx, user: User, draft_id: int, draft: DraftFields) -> None:
    _check_own(tx, user, draft_id)
    checked = _checked(tx, user, draft, _Destinations(tx, user, [draft]))
    SavedDraft.update(tx, draft_id, **checked)
    events.log.announce(tx, DraftEdited(draft_id), to=Users([user.id]))


def delete(tx: Tx, user: User, draft_id: int) -> None:
    _check_own(tx, user, draft_id)
    SavedDraft.delete(tx, id=draft_id)
    events.log.announce(tx, DraftDeleted(draft_id), to=Users([user.id]))


def _check_own(tx: Tx, user: User, draft_id: int) -> None:
    _check_synchronizes(tx, user)
    if not SavedDraft.exists(tx, id=draft_id, user_id=user.id):
        raise BadRequest("Draft does not exist", problem="not-found")


def _check_synchronizes(tx: Tx, user: User) -> None:
    found = storage.people.users.find(tx, user.id)
    if found is None or not found.prefers("enable_drafts_synchronization"):
        raise BadRequest("User has disabled synchronizing drafts.")


class _Destinations:
    """The channels and users of some drafts that the user can see, with one query for each."""

    def __init__(self, tx: Tx, user: User, drafts: Sequence[DraftFields]) -> None:
        channel_ids = {each.to[0] for each in drafts if each.type == "stream" and each.to}
        user_ids = {user_id for each in drafts if each.type == "private" for user_id in each.to}
        channels = storage.channels.table.find_many(tx, sorted(channel_ids))
        access = actions.channels.bulk_access.BulkAccess(tx, user, channels)
        self.channel_ids = {each.id for each in channels if access.may_see(each)}
        known = actions.people.visible_users.find_many(tx, user, sorted(user_ids))
        self.user_ids = {each.id for each in known}


def _checked(tx: Tx, user: User, draft: DraftFields, destinations: _Destinations) -> dict[str, Any]:
    """The columns of a draft whose destination the user can see."""
    content = domain.messages.message.checked_content(draft.content)
    if draft.timestamp is not None and draft.timestamp < 0:
        raise BadRequest("Timestamp must not be negative.")
    channel_id, user_ids, topic = None, list[int](), ""
    if draft.type == "stream":
        channel_id, topic = _checked_channel(tx, user, draft, destinations), draft.topic
    elif draft.type == "private":
        user_ids = _checked_people(user, draft.to, destinations)
    return {
        "channel_id": channel_id,
        "user_ids": user_ids,
        "topic": topic,
        "content": content,
        "edited_at": tx.now if draft.timestamp is None else draft.timestamp,
    }


def _checked_channel(tx: Tx, user: User, draft: DraftFields, destinations: _Destinations) -> int:
    if "\0" in draft.topic:
        raise BadRequest("Topic must not contain null bytes", problem="null-byte")
    if len(draft.topic) > domain.limits.MAX_TOPIC_LENGTH:
        raise TopicTooLong(limit=domain.limits.MAX_TOPIC_LENGTH)
    if len(draft.to) != 1:
        raise BadRequest("Must specify exactly 1 channel ID for channel messages")
    if draft.to[0] not in destinations.channel_ids:
        actions.channels.lookups.spend_lookup_time(tx, user)
        raise ChannelNotAccessible()
    return draft.to[0]


def _checked_people(user: User, user_ids: list[int], destinations: _Destinations) -> list[int]:
    """The recipients without the writer, unless they are the only one."""
    recipients = sorted(set(user_ids))
    recipients = [each for each in recipients if each != user.id] or recipients
    for user_id in recipients:
        if user_id not in destinations.user_ids:
            raise BadRequest(f"Invalid user ID {user_id}", problem="invalid-user-id")
    return recipients


# --- endpoints ---


class Drafts(Reply):
    count: Annotated[int, Doc("The number of drafts.")]
    drafts: Annotated[list[DraftObject], Doc("The drafts, oldest edit first.")]


class DraftIds(Reply):
    ids: Annotated[list[int], Doc("The ids of the new drafts, in the order of the request.")]


async def fetch(call: Call) -> Drafts:
    """List the caller's drafts, oldest edit first."""
    found = await call.db.read(list_all, call.user)
    return Drafts(count=len(found), drafts=[draft_object(draft) for draft in found])


async def create(
    call: Call,
    *,
    drafts: Annotated[
        list[DraftFields], MaxItems(MAX_DRAFTS), Doc("The drafts, oldest first.", [EXAMPLE])
    ],
) -> DraftIds:
    """Create drafts: all or none."""
    return DraftIds(ids=await call.db.write(add, call.user, drafts))


async def update(
    call: Call,
    draft_id: DraftId,
    *,
    draft: Annotated[DraftFields, Doc("The new contents of the draft.", EXAMPLE)],
) -> None:
    """Replace a draft."""
    await call.db.write(edit, call.user, draft_id, draft)


async def remove(call: Call, draft_id: DraftId) -> None:
    """Delete a draft."""
    await call.db.write(delete, call.user, draft_id)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for row in export.rows("draft"):
        user_id, people = row["user_id"], msgspec.json.decode(row["user_ids"])
        yield {
            "id": row["id"],
            "user_profile": user_id,
            "recipient": export.recipient(row["channel_id"], people and [*people, user_id]),
            "topic": row["topic"],
            "content": row["content"],
            "last_edit_time": row["edited_at"],
        }


FEATURE = Feature(
    register={
        "drafts": ListedPart(
            "draft",
            lambda tx, user_id: reversed(of_user(tx, user_id)),
            draft_object,
            doc="The user's drafts.",
        )
    },
    exports={"zerver_draft": _exported},
)
