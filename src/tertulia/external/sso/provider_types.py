"""What those who vouch for people answer, in our words.

Kept apart from the modules that ask: these load libraries that most servers never need.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec


class DirectoryTrouble(Exception):
    """The directory could not be asked: it is away, refuses us, or is not who it says it is."""


@dataclass(frozen=True, slots=True)
class LdapName:
    """Whom a name or an address means in a directory."""

    dn: str
    subject: str
    entry: dict[str, Any] | None = field(repr=False)  # as the library gives it


NOBODY = LdapName("", "", None)


class LdapPerson(msgspec.Struct, frozen=True):
    """An entry of the directory, in so far as it is about a person."""

    dn: str
    login_name: str
    email: str  # may be empty
    subject: str
    full_name: str
    is_disabled: bool
    attributes: Mapping[str, str]  # the first value of each that was asked for
    organizations: tuple[str, ...] | None
    has_required: bool
    groups: tuple[str, ...]
    picture: bytes


class ProviderTrouble(Exception):
    """A provider could not be asked, refused, or answered what makes no sense."""


class ProviderUnavailable(ProviderTrouble):
    """The provider did not answer, or answered that it cannot serve: with 429 or from 500 on."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class SamlPerson(msgspec.Struct, frozen=True):
    """Somebody as a SAML provider knows them."""

    name_id: str
    attributes: Mapping[str, list[str]]
    name_format: str = ""
    session_index: str = ""
    session_ends_at: float | None = None  # SessionNotOnOrAfter

    def first(self, name: str) -> str:
        values = self.attributes.get(name, [])
        return values[0] if name and values else ""


class SamlSession(msgspec.Struct, frozen=True):
    """What a session of ours is at the provider."""

    provider: str
    name_id: str
    name_format: str
    index: str


class SamlFarewell(msgspec.Struct, frozen=True):
    """Whose sessions a provider says have ended; all of them, if it names none."""

    id: str
    name_id: str
    indexes: tuple[str, ...]
    state: str


class PendingLogin(msgspec.Struct, frozen=True):
    """What a login under way has to be recognized by."""

    state: str
    nonce: str
    verifier: str
    return_address: str

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class SiteUser(msgspec.Struct, frozen=True):
    """Somebody as the provider's site knows them."""

    subject: str
    emails: tuple[str, ...]  # those that are verified, the main one first
    claims: Mapping[str, Any]
