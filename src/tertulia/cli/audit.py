"""`tertulia audit`: prints the audit log."""

from datetime import UTC, datetime

import click

from tertulia import storage
from tertulia.cli.open_data import (
    OpenOrganization,
    as_json,
    in_organization,
    show_json,
    show_table,
)
from tertulia.domain.organization.audit import AuditEntry


@click.command()
@click.option(
    "--last",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    default=50,
    show_default=True,
    help="Number of entries.",
)
@as_json
@in_organization
def audit(opened: OpenOrganization, last: int, as_json: bool) -> None:
    """Show the audit log, newest entries first."""
    entries = opened.read(storage.organization.audit.newest, None, last)
    if as_json:
        show_json(entries)
        return
    people = {each.id: each.email for each in opened.read(storage.people.users.list_all)}
    rows = [_row(each, people) for each in entries]
    show_table([("TIME", "WHO", "FROM", "WHAT", "DETAILS", "RESULT"), *rows])


def _row(entry: AuditEntry, people: dict[int, str]) -> list[str]:
    who = "-"
    if entry.actor_id is not None:
        who = people.get(entry.actor_id, f"user {entry.actor_id}")
    details = " ".join(
        name if value is None else f"{name}={value}" for name, value in entry.details.items()
    )
    at = datetime.fromtimestamp(entry.at, UTC)
    return [f"{at:%Y-%m-%d %H:%M:%S}", who, entry.address, entry.act, details, entry.result]
