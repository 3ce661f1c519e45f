"""The organization's icon and logos, which administrators upload or reset to the default.

The core reads their names with the organization; `domain/organization/pictures.py` makes URLs of
them.
"""

import secrets
from collections.abc import Callable, Iterable
from typing import Annotated, ClassVar

import msgspec

from tertulia import actions, api, domain, events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.organization.pictures import PictureKind
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.events.types.organization.settings import RealmUpdateDict
from tertulia.http.forms import Files
from tertulia.http.replies import RedirectReply, Reply
from tertulia.wire import Doc, WireEvent

MAX_BODY = domain.limits.MAX_REALM_PICTURE_BYTES + (1 << 20)  # room for the form around the file


def find_picture(tx: Tx, name: str) -> bytes | None:
    found = tx.value(
        "SELECT picture AS value FROM realm_picture WHERE realm_id = :realm AND name = :name",
        name=name,
    )
    return None if found is None else bytes(found)


def _store_names(tx: Tx, names: dict[str, str]) -> None:
    """In the organization's row."""
    tx.execute(
        "UPDATE realm SET pictures = :names WHERE id = :realm",
        names=msgspec.json.encode(names).decode(),
    )


# --- event ---


class PictureChanged(Event, frozen=True, kind="realm_picture_changed", wires=(RealmUpdateDict,)):
    """An icon or logo changed.

    The URL is relative, because clients reach the server by different addresses.
    """

    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    picture: PictureKind

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        data = domain.organization.pictures.wire_fields(org.realm, self.picture)
        yield RealmUpdateDict("update_dict", self.picture, data)


# --- actions ---


def set_picture(tx: Tx, user: User, kind: PictureKind, picture: bytes) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    name = secrets.token_hex(20)  # a new one, because browsers keep pictures
    tx.upsert("realm_picture", ("realm_id", "kind"), kind=kind, name=name, picture=picture)
    _store_names(tx, storage.organization.realms.current(tx).pictures | {kind: name})
    events.log.announce(tx, PictureChanged(kind), to=Everyone())


def remove(tx: Tx, user: User, kind: PictureKind) -> None:
    """Reset to the default. No effect if it is the default."""
    actions.groups.permissions.require_administrator(tx, user)
    known = storage.organization.realms.current(tx).pictures
    if kind in known:
        tx.delete("realm_picture", kind=kind)
        _store_names(tx, {each: name for each, name in known.items() if each != kind})
        events.log.announce(tx, PictureChanged(kind), to=Everyone())


# --- endpoints ---

Night = Annotated[bool, Doc("Whether it is the logo for the dark theme.", example=True)]


class IconUrl(Reply):
    icon_url: Annotated[str, Doc("The URL of the icon.")]


async def icon(call: Call) -> RedirectReply:
    """Get the organization's icon."""
    return RedirectReply(call.site + domain.organization.pictures.path(call.org.realm, "icon"))


async def logo(call: Call, *, night: Night = False) -> RedirectReply:
    """Get the organization's logo, for the light or the dark theme."""
    return RedirectReply(
        call.site + domain.organization.pictures.path(call.org.realm, _logo(night))
    )


async def upload_icon(call: Call, *, files: Files) -> IconUrl:
    """Upload the organization's icon."""
    drawn = await _read_picture(call, files, "icon", domain.files.images.icon)
    await call.db.write(set_picture, call.user, "icon", drawn)
    return _icon_url(call)


async def delete_icon(call: Call) -> IconUrl:
    """Reset the organization's icon."""
    await call.db.write(remove, call.user, "icon")
    return _icon_url(call)


async def upload_logo(call: Call, *, night: Night, files: Files) -> None:
    """Upload the organization's logo, for the light or the dark theme."""
    drawn = await _read_picture(call, files, "logo", domain.files.images.logo)
    await call.db.write(set_picture, call.user, _logo(night), drawn)


async def delete_logo(call: Call, *, night: Night) -> None:
    """Reset the organization's logo."""
    await call.db.write(remove, call.user, _logo(night))


async def _read_picture(
    call: Call, files: Files, name: str, draw: Callable[[bytes], bytes]
) -> bytes:
    if len(files) != 1:
        raise BadRequest(f"You must upload exactly one {name}.", problem="too-many-files")
    uploaded = api.files.pictures.picture_in(files[0], domain.limits.MAX_REALM_PICTURE_BYTES)
    return await api.files.pictures.process(call.person, draw, uploaded)


def _logo(night: bool) -> PictureKind:
    return "night_logo" if night else "logo"


def _icon_url(call: Call) -> IconUrl:
    return IconUrl(call.site + domain.organization.pictures.path(call.org.realm, "icon"))
