"""The organization's icon and logos: uploading and resetting them."""

from collections.abc import Callable
from typing import Annotated

from tertulia import actions, api, domain
from tertulia.api.call import Call
from tertulia.domain.organization.pictures import PictureKind
from tertulia.errors import BadRequest
from tertulia.http.forms import Files
from tertulia.http.replies import RedirectReply, Reply
from tertulia.wire import Doc

MAX_BODY = domain.limits.MAX_REALM_PICTURE_BYTES + (1 << 20)  # room for the form around the file


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
    await call.db.write(actions.organization.pictures.set_picture, call.user, "icon", drawn)
    return _icon(call)


async def delete_icon(call: Call) -> IconUrl:
    """Reset the organization's icon."""
    await call.db.write(actions.organization.pictures.remove, call.user, "icon")
    return _icon(call)


async def upload_logo(call: Call, *, night: Night, files: Files) -> None:
    """Upload the organization's logo, for the light or the dark theme."""
    drawn = await _read_picture(call, files, "logo", domain.files.images.logo)
    await call.db.write(actions.organization.pictures.set_picture, call.user, _logo(night), drawn)


async def delete_logo(call: Call, *, night: Night) -> None:
    """Reset the organization's logo."""
    await call.db.write(actions.organization.pictures.remove, call.user, _logo(night))


async def _read_picture(
    call: Call, files: Files, name: str, draw: Callable[[bytes], bytes]
) -> bytes:
    if len(files) != 1:
        raise BadRequest(f"You must upload exactly one {name}.", problem="too-many-files")
    uploaded = api.files.pictures.picture_in(files[0], domain.limits.MAX_REALM_PICTURE_BYTES)
    return await api.files.pictures.process(call.person, draw, uploaded)


def _logo(night: bool) -> PictureKind:
    return "night_logo" if night else "logo"


def _icon(call: Call) -> IconUrl:
    return IconUrl(call.site + domain.organization.pictures.path(call.org.realm, "icon"))
