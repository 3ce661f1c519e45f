"""External identities: users as a login provider knows them.

An account is identified by provider and subject, the provider's permanent id of a person. Email
addresses and names change; an address only finds the account at the first login.
"""

from collections.abc import Mapping
from enum import Enum

import msgspec
from msgspec import field

from tertulia.domain.files.picture import Avatar
from tertulia.domain.people.user import Role


class AdmissionPolicy(Enum):
    """Who gets an account at the first login."""

    INVITED = "invited"  # users who may sign up or have an invitation
    ANYBODY = "anybody"  # all users of the provider
    NOBODY = "nobody"


class ExternalProfile(msgspec.Struct, frozen=True):
    """A provider's data about a user; None leaves a value unchanged."""

    provider: str
    method: str  # its name in the setting `authentication_methods`
    subject: str
    emails: tuple[str, ...]  # verified, the main one first
    full_name: str
    welcome: AdmissionPolicy = AdmissionPolicy.INVITED
    is_admitted: bool = True  # by the provider's own rules: required groups, this organization
    is_disabled: bool = False
    has_lasting_subject: bool = True  # another subject is then another person
    leads: bool = False  # changes of names and addresses there are applied here
    picture: Avatar | None = None
    picture_mark: str = ""
    profile: Mapping[str, str] = field(default_factory=dict)  # by field name
    role: Role | None = None
    managed_roles: frozenset[Role] = frozenset()  # roles that the provider manages
    groups: tuple[str, ...] | None = None
    refusal: str = ""  # for the log: why `is_admitted` is false
    address_source: str = ""  # for the log: where the address was expected, and what was there


class Identity(msgspec.Struct, frozen=True):
    """An account's identity at a provider."""

    provider: str
    subject: str
    user_id: int
    is_ended: bool = False  # the account was deactivated because of the provider
    group_ids: tuple[int, ...] = ()  # the groups it was added to
    picture_mark: str = ""  # identifies the imported avatar


class ProfileUpdate(msgspec.Struct, frozen=True):
    """A provider's current data about one of its accounts."""

    identity: Identity
    profile: ExternalProfile | None  # None: the provider no longer has the user

    @property
    def deactivation_reason(self) -> str:
        """Why the account must be deactivated; empty if it need not."""
        if self.profile is None:
            return "is no longer there"
        if self.profile.is_disabled:
            return "is disabled there"
        return "" if self.profile.is_admitted else "may no longer log in"
