"""Organizations. Their settings are in `settings`."""

import re
from typing import Any

import msgspec
from msgspec import field

from tertulia.domain.groups.group import REALM_PERMISSIONS, GroupValue
from tertulia.domain.organization.settings import DEFAULTS
from tertulia.errors import BadRequest

_SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


class Realm(msgspec.Struct, frozen=True):
    id: int
    subdomain: str
    name: str
    uuid: str
    created_at: float
    deactivated: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    pictures: dict[str, str] = field(default_factory=dict)  # names of uploaded ones, by kind

    def setting(self, name: str) -> Any:
        return self.name if name == "name" else self.settings.get(name, DEFAULTS[name])

    def admits(self, method: str) -> bool:
        """Whether a login method is enabled; one that was never disabled is."""
        return bool(self.setting("authentication_methods").get(method, True))

    @property
    def admits_passwords(self) -> bool:
        """Whether users can log in with a password."""
        return self.admits("Email")

    def permissions(self) -> dict[str, GroupValue]:
        """The permissions that were set. The others have their defaults."""
        return {name: value for name, value in self.settings.items() if name in REALM_PERMISSIONS}


def checked_subdomain(text: str) -> str:
    """An empty subdomain is the organization at the bare host."""
    if text and _SUBDOMAIN.fullmatch(text) is None:
        raise BadRequest(
            "A subdomain consists of lower-case letters, digits and inner hyphens (at most 40)."
        )
    return text
