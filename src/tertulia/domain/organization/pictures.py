"""The icon and logos of an organization, with their defaults."""

from typing import Literal

from tertulia.domain.organization.realm import Realm

PictureKind = Literal["icon", "logo", "night_logo"]

UPLOADED = "U"
# Source and path of the defaults.
USUAL: dict[PictureKind, tuple[str, str]] = {
    "icon": ("G", "/static/icon.png"),
    "logo": ("D", "/static/logo.svg"),
    "night_logo": ("D", "/static/logo.svg"),
}


def wire_fields(realm: Realm, kind: PictureKind, site: str = "") -> dict[str, str]:
    """The source and URL of an image, in API format."""
    source, _ = USUAL[kind]
    return {
        f"{kind}_source": UPLOADED if kind in realm.pictures else source,
        f"{kind}_url": f"{site}{path(realm, kind)}",
    }


def path(realm: Realm, kind: PictureKind) -> str:
    name = realm.pictures.get(kind)
    return USUAL[kind][1] if name is None else f"/user_avatars/{realm.id}/realm/{name}.png"
