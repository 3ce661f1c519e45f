"""Allowed email domains of new users."""

from typing import Annotated

from tertulia import actions, storage
from tertulia.api.call import Call
from tertulia.events.types.organization.mail_domains import DomainObject
from tertulia.http.parameter_rules import MaxLength, NoNul
from tertulia.http.replies import Reply

Name = Annotated[str, NoNul(), MaxLength(1000)]


class Domains(Reply):
    domains: list[DomainObject]


class AddedMailDomain(Reply):
    new_domain: tuple[int, str]


async def list_domains(call: Call) -> Domains:
    """List the allowed email domains."""
    return Domains(
        [
            DomainObject.of(each)
            for each in await call.db.read(storage.organization.mail_domains.list_all)
        ]
    )


async def add(call: Call, *, domain: Name, allow_subdomains: bool) -> AddedMailDomain:
    """Allow an email domain."""
    added = await call.db.write(
        actions.organization.mail_domains.add, call.user, domain, allow_subdomains
    )
    return AddedMailDomain(added)


async def change(call: Call, domain: str, *, allow_subdomains: bool) -> None:
    """Change whether the subdomains of a domain are allowed."""
    await call.db.write(
        actions.organization.mail_domains.change, call.user, domain, allow_subdomains
    )


async def remove(call: Call, domain: str) -> None:
    """Remove an allowed email domain; existing users stay."""
    await call.db.write(actions.organization.mail_domains.remove, call.user, domain)
