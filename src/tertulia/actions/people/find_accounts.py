"""Find accounts: mails the list of a user's organizations to their address."""

from collections.abc import Mapping

from tertulia import domain, storage
from tertulia.actions import outbox
from tertulia.actions.people import one_time_links
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.one_time_links import FINDING


def request(
    tx: Tx, vault: Vault, email: str, requested_from: str, sites: Mapping[int, str]
) -> None:
    """Send one mail, whether or not there are accounts. Raises RateLimited.

    `sites` are the URLs of the organizations on this server, by id.
    """
    one_time_links.check_rate_of_address(tx, FINDING, email, requested_from)
    one_time_links.record_request_without_account(tx, FINDING, email, requested_from)
    found, language = [], domain.emails.language_in(storage.organization.realms.current(tx))
    for realm_id, site in sites.items():
        here = tx.for_realm(realm_id)
        realm = storage.organization.realms.current(here)
        user = storage.people.users.find_by_email(here, email)
        if user is not None and user.is_active and not user.is_bot and not realm.deactivated:
            found.append(f"{realm.name}: {site}/")
            language = domain.emails.language_of(user)
    values = {"address": email, "found": domain.emails.BETWEEN.join(found)}
    outbox.enqueue_mail(tx, vault, Email("organizations", email, language, values))
