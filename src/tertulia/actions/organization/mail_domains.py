"""Email domains of an organization, which owners manage; new users need an address in one of them.

They apply while `emails_restricted_to_domains` is set. Without any domain no one could join, so
removing the last one clears the setting.
"""

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.mail_domains import PER_ORGANIZATION, RESTRICTION, MailDomain
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone
from tertulia.events.types.organization.mail_domains import DomainObject, DomainRemoved, DomainSaved


def add(tx: Tx, user: User, name: str, with_subdomains: bool) -> tuple[int, str]:
    """Add a domain. Returns its id and its stored name."""
    actions.groups.permissions.require_owner(tx, user)
    mail_domain = MailDomain(domain.organization.mail_domains.checked(name), with_subdomains)
    known = storage.organization.mail_domains.list_all(tx)
    if any(each.name == mail_domain.name for each in known):
        raise BadRequest(f"The domain {mail_domain.name} is already a part of your organization.")
    if len(known) >= PER_ORGANIZATION:
        raise BadRequest(f"Too many domains (limit: {PER_ORGANIZATION})")

    domain_id = storage.organization.mail_domains.insert(tx, mail_domain)
    events.log.announce(tx, DomainSaved("add", DomainObject.of(mail_domain)), to=Everyone())
    return domain_id, mail_domain.name


def change(tx: Tx, user: User, name: str, with_subdomains: bool) -> None:
    actions.groups.permissions.require_owner(tx, user)
    known = _get(tx, name)
    mail_domain = MailDomain(known.name, with_subdomains)
    if mail_domain == known:
        return

    storage.organization.mail_domains.update(tx, mail_domain)
    events.log.announce(tx, DomainSaved("change", DomainObject.of(mail_domain)), to=Everyone())


def remove(tx: Tx, user: User, name: str) -> None:
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
        raise BadRequest(f"No entry found for domain {name}.")
    return found
