"""The domains of an organization."""

from tertulia.database.tx import Tx
from tertulia.domain.organization.mail_domains import MailDomain


def list_all(tx: Tx) -> list[MailDomain]:
    rows = tx.all(
        "SELECT name, with_subdomains FROM mail_domain WHERE realm_id = :realm ORDER BY id"
    )
    return [MailDomain(row["name"], bool(row["with_subdomains"])) for row in rows]


def insert(tx: Tx, domain: MailDomain) -> int:
    return tx.insert_with_id(
        "mail_domain", name=domain.name, with_subdomains=domain.with_subdomains
    )


def update(tx: Tx, domain: MailDomain) -> None:
    tx.execute(
        "UPDATE mail_domain SET with_subdomains = :with_subdomains"
        " WHERE realm_id = :realm AND name = :name",
        name=domain.name,
        with_subdomains=domain.with_subdomains,
    )


def delete(tx: Tx, name: str) -> None:
    tx.delete("mail_domain", name=name)
