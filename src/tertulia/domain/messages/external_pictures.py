"""External images in messages: shown to clients with a signed URL of this server.

The stored HTML names the external site. It is rewritten whenever a message is sent to a client, so
a changed setting or secret takes effect at once and for all messages.
"""

import hmac
import html
import re
from collections.abc import Callable

from tertulia.domain.people.keys import Vault

PLACE = "/external_content"
# Users' quotation marks are escaped, so only a tag of our own matches.
_PICTURE = re.compile(r'<img src="(https?://[^"]*)"')
_PREVIEW_PICTURE = re.compile(
    r'style="background-image: url\(&quot;(https?://(?:[^"&]|&amp;)*)&quot;\)"'
)
_VIDEO = re.compile(r'<video preload="metadata" src="(?=https?://)')
_UNLOADED_VIDEO = '<video preload="none" src="'


Shown = Callable[[str], str]
AS_IT_IS: Shown = str  # clients load external images themselves


class ExternalPictures:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def shown(self, rendered: str) -> str:
        """HTML with which clients load no external image, and no external video until it is
        played."""
        if '="http' not in rendered:  # a preview has a link, too
            return rendered
        found = _PICTURE.sub(
            lambda tag: f'<img src="{self._path(html.unescape(tag[1]))}"', rendered
        )
        found = _PREVIEW_PICTURE.sub(
            lambda style: (
                f'style="background-image: url(&quot;{self._path(html.unescape(style[1]))}&quot;)"'
            ),
            found,
        )
        return _VIDEO.sub(_UNLOADED_VIDEO, found)

    def address(self, signature: str, written: str) -> str | None:
        """The external URL in a path of ours; None if the signature is wrong."""
        try:
            address = bytes.fromhex(written).decode()
        except ValueError:
            return None
        is_ours = hmac.compare_digest(signature.encode(), self._signature(address).encode())
        return address if is_ours else None

    def _path(self, address: str) -> str:
        return f"{PLACE}/{self._signature(address)}/{address.encode().hex()}"

    def _signature(self, address: str) -> str:
        return self._vault.signature(f"picture {address}")
