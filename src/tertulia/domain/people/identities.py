"""Identities: people as somebody else knows them, who vouches for who they are.

An account is remembered by provider and subject, the provider's own lasting name for a person.
Addresses and names change; by them an account is only found the first time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from tertulia.domain.files.images import Avatar
from tertulia.domain.people.user import Role


class Welcome(Enum):
    """Who gets an account at the first login."""

    INVITED = "invited"  # whom the organization lets sign up, or has invited
    ANYBODY = "anybody"  # whoever the provider vouches for
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a provider says of somebody, as far as it concerns us."""

    provider: str
    method: str  # its name among the organization's `authentication_methods`
    subject: str
    email: str  # verified
    full_name: str
    welcome: Welcome = Welcome.INVITED
    is_admitted: bool = True  # by the provider's own rules: the right groups, this organization
    is_disabled: bool = False
    has_lasting_subject: bool = True  # so that a new address is that of the same person
    picture: Avatar | None = None
    profile: Mapping[str, str] = field(default_factory=dict)  # by the names of fields
    role: Role | None = None  # None: not for the provider to say
    groups: tuple[str, ...] | None = None  # None: not for the provider to say


@dataclass(frozen=True, slots=True)
class Identity:
    """An account that came from a provider."""

    provider: str
    subject: str
    user_id: int
    is_ended: bool  # the account was ended because the provider said so
    group_ids: tuple[int, ...]  # the groups it was brought into
