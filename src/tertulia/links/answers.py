"""What those who vouch for people answer, in our words.

Kept apart from the modules that ask: these load libraries that most servers never need.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class DirectoryTrouble(Exception):
    """The directory could not be asked: it is away, refuses us, or is not who it says it is."""


@dataclass(frozen=True, slots=True)
class LdapPerson:
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


@dataclass(frozen=True, slots=True)
class SamlPerson:
    """Somebody as a SAML provider knows them."""

    name_id: str
    attributes: Mapping[str, list[str]]

    def first(self, name: str) -> str:
        values = self.attributes.get(name, [])
        return values[0] if name and values else ""


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """What a login under way has to be recognized by."""

    state: str
    nonce: str
    verifier: str
    return_address: str

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class SiteUser:
    """Somebody as the provider's site knows them."""

    subject: str
    emails: tuple[str, ...]  # those that are verified, the main one first
    unverified_email: str
    claims: Mapping[str, Any]
