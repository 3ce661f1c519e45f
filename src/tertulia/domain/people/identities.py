"""Identities: people as somebody else knows them, who vouches for who they are.

An account is remembered by provider and subject, the provider's own lasting name for a person.
Addresses and names change; by an address an account is only found the first time.
"""

from collections.abc import Mapping
from enum import Enum

import msgspec
from msgspec import field

from tertulia.domain.files.picture import Avatar
from tertulia.domain.people.user import Role


class Welcome(Enum):
    """Who gets an account at the first login."""

    INVITED = "invited"  # whom the organization lets sign up, or has invited
    ANYBODY = "anybody"  # whoever the provider vouches for
    NOBODY = "nobody"


class ExternalProfile(msgspec.Struct, frozen=True):
    """What a provider says of somebody, as far as it concerns us; None changes nothing."""

    provider: str
    method: str  # its name among the organization's `authentication_methods`
    subject: str
    emails: tuple[str, ...]  # verified, the main one first
    full_name: str
    welcome: Welcome = Welcome.INVITED
    is_admitted: bool = True  # by the provider's own rules: the right groups, this organization
    is_disabled: bool = False
    has_lasting_subject: bool = True  # so that another subject is another person
    leads: bool = False  # names and addresses that change there change here
    picture: Avatar | None = None
    picture_mark: str = ""
    profile: Mapping[str, str] = field(default_factory=dict)  # by the names of fields
    role: Role | None = None
    roles_to_take: frozenset[Role] = frozenset()  # which the provider gives, and takes back
    groups: tuple[str, ...] | None = None
    refusal: str = ""  # for the log: why `is_admitted` is false
    address_source: str = ""  # for the log: where an address was looked for, and what was there


class Identity(msgspec.Struct, frozen=True):
    """An account that came from a provider."""

    provider: str
    subject: str
    user_id: int
    is_ended: bool = False  # the account was ended because the provider said so
    group_ids: tuple[int, ...] = ()  # the groups it was brought into
    picture_mark: str = ""  # which picture was brought


class ProfileUpdate(msgspec.Struct, frozen=True):
    """What was found out about an account that came from a provider."""

    identity: Identity
    introduced: ExternalProfile | None  # None: the provider no longer has them

    @property
    def reason_to_end(self) -> str:
        """Why the account has to end; empty if it has not."""
        if self.introduced is None:
            return "is no longer there"
        if self.introduced.is_disabled:
            return "is disabled there"
        return "" if self.introduced.is_admitted else "may no longer come in"
