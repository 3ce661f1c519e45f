"""`tertulia operator-link`: the address of the operator's page, with a token."""

import click

from tertulia import domain
from tertulia.cli.open_data import OpenOrganization, as_json, in_organization, show_json
from tertulia.domain.operator_token import LINK_SECONDS, PATH

DAY_SECONDS = 86_400


@click.command("operator-link")
@click.option(
    "--days",
    metavar="N",
    type=click.IntRange(1, 3650),
    help="How long the token is valid, for programs that read /operator/status.json.",
)
@as_json
@in_organization
def operator_link(opened: OpenOrganization, days: int | None, as_json: bool) -> None:
    """Print the address of the operator's page, with a token.

    The token is valid for an hour; the browser then stays logged in for twelve hours.
    """
    seconds = LINK_SECONDS if days is None else days * DAY_SECONDS
    token = domain.operator_token.create(opened.vault, opened.database.clock() + seconds)
    page = f"{opened.site}{PATH}?token={token}"
    if as_json:
        show_json({"token": token, "url": page})
    else:
        click.echo("Anyone with this address can read the state of the server:", err=True)
        click.echo(page)
