"""Email domains of an organization: users with such addresses may join."""

import re
from collections.abc import Iterable

import msgspec

from tertulia.domain.people import user
from tertulia.errors.people import InvalidMailDomain

RESTRICTION = "emails_restricted_to_domains"  # the setting that enables the restriction
PER_ORGANIZATION = 500
MAX_LENGTH = 253
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


class MailDomain(msgspec.Struct, frozen=True):
    name: str
    with_subdomains: bool

    def contains(self, email: str) -> bool:
        host = user.email_key(email).rpartition("@")[2]
        return host == self.name or (self.with_subdomains and host.endswith(f".{self.name}"))


def checked(name: str) -> str:
    """A domain as it is stored. Raises InvalidMailDomain."""
    name = user.email_key(name)
    if not name:
        raise InvalidMailDomain(reason="Domain can't be empty.")
    if "." not in name:
        raise InvalidMailDomain(reason="Domain must have at least one dot (.)")
    if len(name) > MAX_LENGTH:
        raise InvalidMailDomain(reason=f"Domain is too long (limit: {MAX_LENGTH} characters)")
    if not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise InvalidMailDomain(
            reason="Between its dots there must be letters, digits and inner hyphens."
        )
    return name


def is_allowed(email: str, domains: Iterable[MailDomain]) -> bool:
    return any(domain.contains(email) for domain in domains)
