"""TOTP secrets for an authenticator app: as a QR code, and as text to type."""

from typing import Any

from tertulia import api, domain
from tertulia.api.call import Call
from tertulia.domain.people.user import User


async def secret(call: Call, user: User, known: str) -> dict[str, Any]:
    """The secret as the page shows it."""
    address = domain.people.second_factors.app_address(known, call.org.realm.name, user.email)
    spaced = " ".join(known[at : at + 4] for at in range(0, len(known), 4))
    picture = await api.files.pictures.process(call.person, _picture, address)
    return {"secret": known, "spaced": spaced, "picture": picture}


def _picture(text: str) -> str:
    """The QR code. The library is loaded with the first one."""
    import segno

    drawn = segno.make(text, micro=False)
    address: str = drawn.svg_data_uri(scale=4, border=3, light="white")
    return address
