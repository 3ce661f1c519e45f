"""Pictures of other sites in messages: told with an address of ours, which we alone can sign.

What is stored names the other site. It is rewritten whenever a message is told, so the setting
takes effect at once and for everything, and so does a new secret.
"""

import hmac
import html
import re
from collections.abc import Callable

from tertulia.domain.people.keys import Vault

PLACE = "/external_content"
# People's own quotation marks are escaped: only a tag that we made reads like this.
_PICTURE = re.compile(r'<img src="(https?://[^"]*)"')
_VIDEO = re.compile(r'<video preload="metadata" src="(?=https?://)')
_UNLOADED_VIDEO = '<video preload="none" src="'


Shown = Callable[[str], str]
AS_IT_IS: Shown = str  # where pictures are left to clients


class ExternalPictures:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def shown(self, rendered: str) -> str:
        """HTML by which clients load no picture from elsewhere, and no video until it is played."""
        if '="http' not in rendered:
            return rendered
        found = _PICTURE.sub(
            lambda tag: f'<img src="{self._path(html.unescape(tag[1]))}"', rendered
        )
        return _VIDEO.sub(_UNLOADED_VIDEO, found)

    def address(self, signature: str, written: str) -> str | None:
        """The address that a path of ours stands for, if it is ours."""
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
