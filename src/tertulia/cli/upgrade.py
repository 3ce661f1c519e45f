"""`tertulia upgrade --check`: what this version does to the data, and whether you can go back."""

import os
from typing import Any

import click
import msgspec

from tertulia import __version__, data_dir, storage
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import as_json, show_json
from tertulia.config import Config
from tertulia.database import Database, schema


class UpgradePlan(msgspec.Struct, frozen=True):
    installed_version: str
    data_version: str | None  # of the server that last opened the data; None if it is unknown
    schema: int  # the newest migration of the data
    installed_schema: int
    can_read: bool  # whether this version can open the data
    migrations: list[int]  # that the next start applies
    can_go_back: bool  # whether the version before can open the data after that
    can_run_beside: bool  # whether servers of that version may go on running
    has_running_servers: bool


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
    plan = examine(data_dir.find_database(Config.load(flags, os.environ)))
    if as_json:
        show_json(plan)
    else:
        for line in described(plan):
            click.echo(line)
    if not plan.can_read:
        raise click.exceptions.Exit(1)


def examine(database: Database) -> UpgradePlan:
    standing = database.schema()
    missing = [] if standing.is_too_new else standing.missing()
    is_one_way = any(each.must_be_known for each in missing)
    has_notes = database.read_now(0, lambda tx: tx.has_table("server_note"))
    version = (
        database.read_now(0, storage.server_values.find, storage.server_values.VERSION)
        if has_notes
        else None
    )
    return UpgradePlan(
        installed_version=__version__,
        data_version=version,
        schema=max(standing.applied, default=0),
        installed_schema=schema.latest(),
        can_read=not standing.is_too_new,
        migrations=[each.number for each in missing],
        can_go_back=not standing.is_too_new and not is_one_way,
        can_run_beside=not standing.is_too_new and not is_one_way,
        has_running_servers=database.has_peers(),
    )


def described(plan: UpgradePlan) -> list[str]:
    """The plan in sentences."""
    before = plan.data_version or "an older version"
    lines = [f"Installed: {plan.installed_version}. The data was last opened by {before}."]
    if not plan.can_read:
        lines.append(
            "This version cannot read the data: a newer version wrote it. Install that version, or"
            " restore a backup from before it."
        )
        return lines
    if not plan.migrations:
        lines.append(f"The data needs no upgrade, and {before} can still read it.")
        return lines
    count = len(plan.migrations)
    noun = "migration" if count == 1 else "migrations"
    lines.append(
        f"The next start applies {count} {noun}: schema {plan.schema} becomes"
        f" {plan.installed_schema}."
    )
    if plan.can_go_back:
        lines.append(f"You can go back: {before} can read the data afterwards.")
        lines.append(f"Servers of {before} may go on running beside this one.")
    else:
        lines.append(
            f"You cannot go back: {before} cannot read the data afterwards. Run `tertulia backup`"
            " first; to go back, restore it."
        )
        if plan.has_running_servers:
            lines.append("Servers are running. Stop all of them before you start this version.")
    return lines
