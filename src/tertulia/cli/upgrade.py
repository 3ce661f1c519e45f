"""`tertulia upgrade --check`: what this version does to the data, and whether you can go back."""

import os
from typing import Any

import click

from tertulia import data_dir, upgrade_plan
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import as_json, show_json
from tertulia.config import Config


@click.command()
@click.option(
    "--check",
    "is_check",
    is_flag=True,
    help="Required. Show what an upgrade does, but change nothing.",
)
@as_json
@config_options(for_serve=False)
def upgrade(is_check: bool, as_json: bool, **flags: Any) -> None:
    """Check whether this version can read the data, and whether you can go back.

    The next start of the server upgrades the data. Exits with 1 if this version cannot read it.
    """
    if not is_check:
        raise click.UsageError("Give --check. The next start of the server upgrades the data.")
    plan = upgrade_plan.examine(data_dir.find_database(Config.load(flags, os.environ)))
    if as_json:
        show_json(plan)
    else:
        for line in upgrade_plan.described(plan):
            click.echo(line)
    if not plan.can_read:
        raise click.exceptions.Exit(1)
