"""The organization's domains: owners name them, and who joins needs an address at one of them.

They count while `emails_restricted_to_domains` is set. Without the last of them nobody could ever
join again, so the setting goes with it.
"""

from tertulia.actions import realm_settings, rights
from tertulia.domain.mail_domains import PER_ORGANIZATION, RESTRICTION, MailDomain, checked
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone
from tertulia.events.log import announce
from tertulia.events.types.mail_domains import DomainObject, DomainRemoved, DomainSaved
from tertulia.storage import mail_domains
from tertulia.storage.tx import Tx


def add(tx: Tx, user: User, name: str, with_subdomains: bool) -> tuple[int, str]:
    """Name a domain; gives its id and its name as it is kept."""
    rights.require_owner(tx, user)
    domain = MailDomain(checked(name), with_subdomains)
    known = mail_domains.everything(tx)
    if any(each.name == domain.name for each in known):
        raise BadRequest(f"The domain {domain.name} is already a part of your organization.")
    if len(known) >= PER_ORGANIZATION:
        raise BadRequest(f"Too many domains (limit: {PER_ORGANIZATION})")

    domain_id = mail_domains.insert(tx, domain)
    announce(tx, DomainSaved("add", DomainObject.of(domain)), to=Everyone())
    return domain_id, domain.name


def change(tx: Tx, user: User, name: str, with_subdomains: bool) -> None:
    rights.require_owner(tx, user)
    known = _known(tx, name)
    domain = MailDomain(known.name, with_subdomains)
    if domain == known:
        return

    mail_domains.update(tx, domain)
    announce(tx, DomainSaved("change", DomainObject.of(domain)), to=Everyone())


def remove(tx: Tx, user: User, name: str) -> None:
    rights.require_owner(tx, user)
    known = _known(tx, name)

    mail_domains.delete(tx, known.name)
    announce(tx, DomainRemoved(known.name), to=Everyone())
    if not mail_domains.everything(tx):
        realm_settings.edit(tx, user, {RESTRICTION: False})


def _known(tx: Tx, name: str) -> MailDomain:
    wanted = name.strip().lower()
    found = next((each for each in mail_domains.everything(tx) if each.name == wanted), None)
    if found is None:
        raise BadRequest(f"No entry found for domain {name}.")
    return found
