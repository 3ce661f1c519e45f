"""Email domains of an organization, which owners manage; new users need an address in one of them.

They apply while `emails_restricted_to_domains` is set. Without any domain no one could join, so
removing the last one clears the setting. The core checks addresses by
`storage/organization/mail_domains.py`.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.organization.mail_domains import PER_ORGANIZATION, RESTRICTION, MailDomain
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Everyone
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import MaxLength, NoNul
from tertulia.http.replies import Reply
from tertulia.wire import Doc, WireEvent

DomainName = Annotated[str, Doc("The domain.", example="example.com")]
AllowSubdomains = Annotated[
    bool, Doc("Whether addresses in subdomains are allowed too.", example=False)
]


class DomainObject(msgspec.Struct, frozen=True):
    domain: DomainName
    allow_subdomains: AllowSubdomains

    @classmethod
    def of(cls, domain: MailDomain) -> Self:
        return cls(domain.name, domain.with_subdomains)


class DomainSaved(Event, frozen=True, kind="domain_saved"):
    """A domain is new, or whether it includes subdomains changed."""

    op: Literal["add", "change"]
    domain: DomainObject

    class Wire(WireEvent, tag="realm_domains"):
        op: Literal["add", "change"]
        realm_domain: Annotated[DomainObject, Doc("The mail domain.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.op, self.domain)


class DomainRemoved(Event, frozen=True, kind="domain_removed"):
    domain: str

    class Wire(WireEvent, tag="realm_domains"):
        op: Literal["remove"]
        domain: DomainName

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.domain)


# --- actions ---


def add(tx: Tx, user: User, name: str, with_subdomains: bool) -> tuple[int, str]:
    """Add a domain. Returns its id and its stored name."""
    actions.groups.permissions.require_owner(tx, user)
    mail_domain = MailDomain(domain.organization.mail_domains.checked(name), with_subdomains)
    known = storage.organization.mail_domains.list_all(tx)
    if any(each.name == mail_domain.name for each in known):
        raise BadRequest(
            "The domain {domain} is already a part of your organization.",
            problem="domain-exists",
            domain=mail_domain.name,
        )
    if len(known) >= PER_ORGANIZATION:
        raise TooMany("domains", PER_ORGANIZATION)

    domain_id = storage.organization.mail_domains.insert(tx, mail_domain)
    events.log.announce(tx, DomainSaved("add", DomainObject.of(mail_domain)), to=Everyone())
    return domain_id, mail_domain.name


def edit(tx: Tx, user: User, name: str, with_subdomains: bool) -> None:
    actions.groups.permissions.require_owner(tx, user)
    known = _get(tx, name)
    mail_domain = MailDomain(known.name, with_subdomains)
    if mail_domain == known:
        return

    storage.organization.mail_domains.update(tx, mail_domain)
    events.log.announce(tx, DomainSaved("change", DomainObject.of(mail_domain)), to=Everyone())


def delete(tx: Tx, user: User, name: str) -> None:
    actions.groups.permissions.require_owner(tx, user)
    known = _get(tx, name)

    storage.organization.mail_domains.delete(tx, known.name)
    events.log.announce(tx, DomainRemoved(known.name), to=Everyone())
    if not storage.organization.mail_domains.list_all(tx):
        actions.organization.settings.edit(tx, user, {RESTRICTION: False})


def _get(tx: Tx, name: str) -> MailDomain:
    wanted = domain.people.user.email_key(name)
    found = next(
        (each for each in storage.organization.mail_domains.list_all(tx) if each.name == wanted),
        None,
    )
    if found is None:
        raise BadRequest(
            "No entry found for domain {domain}.", problem="domain-not-found", domain=name
        )
    return found


# --- endpoints ---


class Domains(Reply):
    domains: Annotated[list[DomainObject], Doc("The allowed email domains.")]


class AddedMailDomain(Reply):
    new_domain: Annotated[tuple[int, str], Doc("The id and the name of the domain.")]


async def list_domains(call: Call) -> Domains:
    """List the allowed email domains."""
    found = await call.db.read(storage.organization.mail_domains.list_all)
    return Domains([DomainObject.of(each) for each in found])


async def create(
    call: Call,
    *,
    domain: Annotated[DomainName, NoNul, MaxLength(1000)],
    allow_subdomains: AllowSubdomains,
) -> AddedMailDomain:
    """Allow an email domain."""
    added = await call.db.write(add, call.user, domain, allow_subdomains)
    return AddedMailDomain(added)


async def change(call: Call, domain: DomainName, *, allow_subdomains: AllowSubdomains) -> None:
    """Change whether the subdomains of a domain are allowed."""
    await call.db.write(edit, call.user, domain, allow_subdomains)


async def remove(call: Call, domain: DomainName) -> None:
    """Remove an allowed email domain; existing users stay."""
    await call.db.write(delete, call.user, domain)


FEATURE = Feature(
    register={
        "realm_domains": ListedPart(
            "mail_domain",
            of_all_users=storage.organization.mail_domains.list_all,
            to_wire=DomainObject.of,
            doc="The allowed email domains.",
        )
    },
)
