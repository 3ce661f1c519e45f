"""What the installed version does to the data: the text of `tertulia upgrade --check`.

After a one-way upgrade the version before cannot open the data. Only the start of a server makes
one, and only if no older server runs.
"""

import time

import msgspec

from tertulia import __version__, storage
from tertulia.database import BlockingDatabase, schema
from tertulia.errors import StartupError

STOPPED_SERVER_SECONDS = 6.0  # until PostgreSQL has noticed the end of a server


class UpgradeRefused(StartupError):
    """The upgrade cannot be undone, and must not be made here or now."""

    def __init__(self, plan: "UpgradePlan", reason: str) -> None:
        super().__init__("\n".join([reason, *described(plan)]))


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


def check(database: BlockingDatabase, *, to_serve: bool) -> None:
    """Raises UpgradeRefused for a one-way upgrade by a command, or while older servers run."""
    deadline = time.monotonic() + STOPPED_SERVER_SECONDS
    while database.schema().is_upgraded_one_way:
        if not to_serve:
            raise UpgradeRefused(
                examine(database), "The data is not upgraded yet, and this command does not do it."
            )
        if not database.has_servers():
            return
        if time.monotonic() > deadline:
            raise UpgradeRefused(examine(database), "The data cannot be upgraded now.")
        time.sleep(STOPPED_SERVER_SECONDS / 20)


def examine(database: BlockingDatabase) -> UpgradePlan:
    standing = database.schema()
    can_read = not (standing.is_too_new or standing.is_too_old)
    missing = standing.missing() if can_read else []
    is_one_way = standing.is_upgraded_one_way
    has_notes = database.of(0).read(lambda tx: tx.has_table("server_note"))
    version = (
        database.of(0).read(storage.server_values.find, storage.server_values.VERSION)
        if has_notes
        else None
    )
    return UpgradePlan(
        installed_version=__version__,
        data_version=version,
        schema=max(standing.applied, default=0),
        installed_schema=schema.latest(),
        can_read=can_read,
        migrations=[each.number for each in missing],
        can_go_back=can_read and not is_one_way,
        can_run_beside=can_read and not is_one_way,
        has_running_servers=database.has_servers(),
    )


def described(plan: UpgradePlan) -> list[str]:
    """The plan in sentences."""
    before = plan.data_version or "an older version"
    lines = [f"Installed: {plan.installed_version}. The data was last opened by {before}."]
    if not plan.can_read and plan.schema < schema.OF_0_3:
        lines.append(f"This version cannot read the data. {schema.SchemaTooOld()}")
        return lines
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
