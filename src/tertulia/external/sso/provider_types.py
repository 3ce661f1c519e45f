"""Types for the answers of providers.

Separate from the modules that talk to providers, because those import large libraries.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec


class LdapError(Exception):
    """The directory cannot be reached, refuses us, or fails verification."""


@dataclass(frozen=True, slots=True)
class LdapEntry:
    """The entry that a name or address belongs to."""

    dn: str
    subject: str
    entry: dict[str, Any] | None = field(repr=False)  # in the library's form


NO_ENTRY = LdapEntry("", "", None)


class LdapPerson(msgspec.Struct, frozen=True):
    """The user data of a directory entry."""

    dn: str
    login_name: str
    email: str  # may be empty
    subject: str
    full_name: str
    is_disabled: bool
    attributes: Mapping[str, str]  # first values of the requested attributes
    organizations: tuple[str, ...] | None
    has_required: bool
    groups: tuple[str, ...]
    picture: bytes


class ProviderError(Exception):
    """A provider cannot be reached, refuses, or gives an invalid answer."""


class ProviderUnavailable(ProviderError):
    """The provider did not answer, or answered with status 429 or 5xx."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class SamlPerson(msgspec.Struct, frozen=True):
    """A user as a SAML provider describes them."""

    name_id: str
    attributes: Mapping[str, list[str]]
    name_format: str = ""
    session_index: str = ""
    session_ends_at: float | None = None  # SessionNotOnOrAfter

    def first(self, name: str) -> str:
        values = self.attributes.get(name, [])
        return values[0] if name and values else ""


class SamlSession(msgspec.Struct, frozen=True):
    """Our session at the SAML provider, as needed for a logout there."""

    provider: str
    name_id: str
    name_format: str
    index: str


class SamlLogoutRequest(msgspec.Struct, frozen=True):
    """A logout request of a SAML provider: the sessions to end; all of the user's, if it names
    none."""

    id: str
    name_id: str
    indexes: tuple[str, ...]
    state: str


class PendingLogin(msgspec.Struct, frozen=True):
    """The values that bind an answer to the login that was started."""

    state: str
    nonce: str
    verifier: str
    return_address: str

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class ProviderUser(msgspec.Struct, frozen=True):
    """A user as an OpenID provider or GitHub describes them."""

    subject: str
    emails: tuple[str, ...]  # verified ones, the primary one first
    claims: Mapping[str, Any]
