"""Secrets for an app that makes codes, as it can take them: a picture (QR code), or to be typed."""

from typing import Any

from tertulia import api, domain
from tertulia.api.call import Call
from tertulia.domain.people.user import User


async def secret(call: Call, user: User, known: str) -> dict[str, Any]:
    """What a page shows of it."""
    address = domain.people.second_factors.app_address(known, call.org.realm.name, user.email)
    spaced = " ".join(known[at : at + 4] for at in range(0, len(known), 4))
    picture = await api.files.pictures.drawn(call.person, _picture, address)
    return {"secret": known, "spaced": spaced, "picture": picture}


def _picture(text: str) -> str:
    """The library is loaded by the first one, who does not wait long."""
    import segno

    drawn = segno.make(text, micro=False)
    address: str = drawn.svg_data_uri(scale=4, border=3, light="white")
    return address
