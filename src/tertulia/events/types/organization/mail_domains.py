"""The organization's email domains in API format, and their events."""

from collections.abc import Iterable
from typing import ClassVar, Literal, Self

import msgspec

from tertulia.domain.organization.mail_domains import MailDomain
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class DomainObject(msgspec.Struct, frozen=True):
    domain: str
    allow_subdomains: bool

    @classmethod
    def of(cls, domain: MailDomain) -> Self:
        return cls(domain.name, domain.with_subdomains)


class DomainSaved(Event, frozen=True):
    """A domain is new, or whether it includes subdomains changed."""

    kind: ClassVar[str] = "domain_saved"
    types: ClassVar[tuple[str, ...]] = ("realm_domains",)

    op: Literal["add", "change"]
    domain: DomainObject

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": self.op, "realm_domain": self.domain}


class DomainRemoved(Event, frozen=True):
    kind: ClassVar[str] = "domain_removed"
    types: ClassVar[tuple[str, ...]] = ("realm_domains",)

    domain: str

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "domain": self.domain}
