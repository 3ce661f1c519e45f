"""Custom emoji of an organization: users add them, and they are deactivated, never deleted.

The core reads them from `storage/organization/custom_emoji.py` for reactions and texts.
"""

import secrets
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from tertulia import actions, api, domain, events, markdown, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.files.picture import Picture
from tertulia.domain.organization.custom_emoji import CustomEmoji
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import CustomEmojiNotFound
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Everyone
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.forms import Files
from tertulia.http.replies import Reply
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import EmojiName

CustomEmojiId = Annotated[str, Doc("The id of the custom emoji.")]
IsDeactivated = Annotated[bool, Doc("Whether it is deactivated.")]


class EmojiObject(msgspec.Struct):
    id: CustomEmojiId
    name: EmojiName
    source_url: Annotated[str, Doc("The URL of the image.")]
    deactivated: IsDeactivated
    author_id: Annotated[int, Doc("The id of the user who added the emoji.")]
    still_url: Annotated[
        str | None, Doc("The URL of a still image; null if the emoji is not animated.")
    ]


EmojiById = Annotated[dict[str, EmojiObject], Doc("The custom emoji, by id.")]


def emoji_object(emoji: CustomEmoji) -> EmojiObject:
    return EmojiObject(
        id=str(emoji.id),
        name=emoji.name,
        source_url=emoji.source_url,
        deactivated=emoji.deactivated,
        author_id=emoji.author_id,
        still_url=emoji.still_url,
    )


def emoji_map(org: Organization) -> dict[str, EmojiObject]:
    return {str(emoji.id): emoji_object(emoji) for emoji in org.emoji.values()}


class EmojiAdd(WireEvent, tag="realm_emoji"):
    op: Literal["add"]
    emoji: Annotated[EmojiObject, Doc("The new emoji.")]


class EmojiChange(msgspec.Struct):
    deactivated: IsDeactivated


class EmojiUpdateOne(WireEvent, tag="realm_emoji"):
    op: Literal["update_one"]
    emoji_id: CustomEmojiId
    data: Annotated[EmojiChange, Doc("What has changed.")]


class EmojiUpdate(WireEvent, tag="realm_emoji"):
    """Compat: all emoji, for clients without `individual_emoji_changes`."""

    op: Literal["update"]
    realm_emoji: EmojiById


class EmojiAdded(Event, frozen=True, kind="emoji_added", wires=(EmojiAdd, EmojiUpdate)):
    touches: ClassVar[Invalidated] = Invalidated(emoji=True)

    emoji_id: int

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if to.options.capabilities.individual_emoji_changes:
            yield EmojiAdd("add", emoji_object(org.emoji[self.emoji_id]))
        else:
            yield EmojiUpdate("update", emoji_map(org))


class EmojiDeactivated(Event, frozen=True, kind="emoji_deactivated"):
    wires = (EmojiUpdateOne, EmojiUpdate)
    touches: ClassVar[Invalidated] = Invalidated(emoji=True)

    emoji_id: int

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if to.options.capabilities.individual_emoji_changes:
            yield EmojiUpdateOne("update_one", str(self.emoji_id), EmojiChange(deactivated=True))
        else:
            yield EmojiUpdate("update", emoji_map(org))


# --- actions ---


def add(tx: Tx, user: User, name: str, picture: Picture) -> None:
    user = actions.groups.permissions.current_rights(tx, user)
    actions.groups.permissions.require_in_realm(tx, user, "can_add_custom_emoji_group")
    if storage.organization.custom_emoji.find_active(tx, name) is not None:
        raise BadRequest(
            "A custom emoji with this name already exists.", problem="emoji-name-taken"
        )
    if domain.emoji.find_common(markdown.emoji_names, name) is not None and not user.is_admin:
        raise BadRequest(
            "Only administrators can override default emoji.",
            problem="emoji-override-by-administrators-only",
        )
    if storage.table_counts.created_emoji(tx, user) >= domain.limits.MAX_EMOJI:
        raise TooMany("custom emoji", domain.limits.MAX_EMOJI)
    stem = secrets.token_hex(8)
    still_name = None if picture.still is None else f"{stem}.png"
    emoji_id = storage.organization.custom_emoji.insert(
        tx,
        name,
        user.id,
        (f"{stem}.{picture.extension}", picture.data),
        (still_name, picture.still),
    )
    events.log.announce(tx, EmojiAdded(emoji_id), to=Everyone())


def deactivate(tx: Tx, user: User, name: str) -> None:
    """Deactivate an emoji. Existing uses stay."""
    user = actions.groups.permissions.current_rights(tx, user)
    found = storage.organization.custom_emoji.find_active(tx, name)
    if found is None:
        raise CustomEmojiNotFound(name=name)
    if found.author_id != user.id and not user.is_admin:
        raise BadRequest(
            "Must be an organization administrator or emoji author",
            problem="administrator-or-author-required",
        )
    storage.organization.custom_emoji.deactivate(tx, found.id)
    events.log.announce(tx, EmojiDeactivated(found.id), to=Everyone())


# --- endpoints ---


MAX_BODY = domain.limits.MAX_EMOJI_BYTES + (1 << 20)  # room for the form around the file


class EmojiList(Reply):
    emoji: EmojiById


async def list_emoji(call: Call) -> EmojiList:
    """List all custom emoji, including deactivated ones."""
    found = await call.db.read(storage.organization.custom_emoji.list_all)
    return EmojiList({str(each.id): emoji_object(each) for each in found})


async def upload(call: Call, emoji_name: EmojiName, *, files: Files) -> None:
    """Add a custom emoji."""
    name = domain.organization.custom_emoji.checked_emoji_name(emoji_name)
    if len(files) != 1:
        raise BadRequest("You must upload exactly one file.", problem="too-many-files")
    uploaded = api.files.pictures.picture_in(files[0], domain.limits.MAX_EMOJI_BYTES)
    picture = await api.files.pictures.process(
        call.person, domain.files.images.emoji_picture, uploaded
    )
    await call.db.write(add, call.user, name, picture)


async def remove(call: Call, emoji_name: EmojiName) -> None:
    """Deactivate a custom emoji."""
    await call.db.write(deactivate, call.user, emoji_name)


class EmojiState(StatePart):
    realm_emoji: EmojiById


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for each in storage.organization.custom_emoji.list_all(tx):
        yield {
            "id": each.id,
            "realm": each.realm_id,
            "author": each.author_id,
            "name": each.name,
            "file_name": each.file_name,
            "is_animated": each.still_name is not None,
            "deactivated": each.deactivated,
        }


FEATURE = Feature(
    state={"realm_emoji": lambda view: EmojiState(emoji_map(view.org))},
    exports={"zerver_realmemoji": _exported},
    stays_after_erasure=[("emoji", "author_id")],
    audit={"content": ["% /realm/emoji%"]},
)
