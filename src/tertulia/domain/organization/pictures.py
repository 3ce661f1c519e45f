"""Pictures of an organization: its icon and its logos, or what it has until it has its own."""

from typing import Literal

from tertulia.domain.organization.realm import Realm

PictureKind = Literal["icon", "logo", "night_logo"]

UPLOADED = "U"
# Where the usual ones come from, and where they are.
USUAL: dict[PictureKind, tuple[str, str]] = {
    "icon": ("G", "/static/icon.png"),
    "logo": ("D", "/static/logo.svg"),
    "night_logo": ("D", "/static/logo.svg"),
}


def told(realm: Realm, kind: PictureKind, site: str = "") -> dict[str, str]:
    """Where a picture comes from and where it is, as clients are told."""
    source, _ = USUAL[kind]
    return {
        f"{kind}_source": UPLOADED if kind in realm.pictures else source,
        f"{kind}_url": f"{site}{path(realm, kind)}",
    }


def path(realm: Realm, kind: PictureKind) -> str:
    name = realm.pictures.get(kind)
    return USUAL[kind][1] if name is None else f"/user_avatars/{realm.id}/realm/{name}.png"
