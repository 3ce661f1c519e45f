"""Shared by the commands: opening the data, choosing an organization, printing tables.

A command that writes imports `tertulia.features`, because what it does includes what features add.
Others do without: it takes longer than the rest of a short command.
"""

import getpass
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import click
import msgspec

from tertulia import data_dir, storage
from tertulia.cli import zuliprc
from tertulia.cli.flags import COMMON_FLAGS, config_options
from tertulia.config import Config
from tertulia.data_dir import NoData
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import DONE, MAX_DETAILS, Act
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User

P = ParamSpec("P")
T = TypeVar("T")

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class _DryRun(Exception):
    """Rolls back the transaction of a dry run."""


class OpenOrganization(msgspec.Struct, frozen=True):
    """The open database and the organization that a command works on."""

    config: Config
    database: BlockingDatabase
    organizations: list[Realm]
    realm: Realm

    @property
    def vault(self) -> Vault:
        return data_dir.open_vault(self.config)

    @property
    def site(self) -> str:
        """The address of the organization."""
        return zuliprc.site(self.config, self.realm, is_only_one=len(self.organizations) == 1)

    @property
    def directories(self) -> list[str]:
        """The LDAP directories that hold passwords of this organization's users."""
        return [
            each.key
            for each in self.config.ldap
            if each.is_for(self.realm.subdomain) and self.realm.admits(each.method)
        ]

    def read(self, query: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return self.database.of(self.realm.id).read(query, *args, **kwargs)

    def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an action in a transaction, with an audit log entry."""
        changes = storage.organization.audit_changes

        def noted(tx: Tx) -> T:
            before = changes.values_before(tx, audited_command(*args))
            result = action(tx, *args, **kwargs)
            act = audited_command(*args, *_people_in(result))
            storage.organization.audit.insert(tx, changes.with_changes(tx, act, before), DONE)
            return result

        return self.database.of(self.realm.id).write(noted)

    def dry_run(self, action: Callable[[Tx], T]) -> T:
        """Run an action, roll it back, and return its result."""

        def tried_out(tx: Tx) -> NoReturn:
            raise _DryRun(action(tx))

        try:
            self.write(tried_out)
        except _DryRun as rehearsal:
            found: T = rehearsal.args[0]
            return found

    def record(self, tx: Tx, *about: object) -> None:
        """Add an audit log entry for this command."""
        storage.organization.audit.insert(tx, audited_command(*about), DONE)


def record_everywhere(tx: Tx, *about: object) -> None:
    """Add an audit log entry for this command to every organization."""
    for realm in storage.organization.realms.list_all(tx):
        storage.organization.audit.insert(tx.for_realm(realm.id), audited_command(*about), DONE)


def audited_command(*about: object, **more: object) -> Act:
    """The audit log entry of this command: its name, ids of people and objects, names of
    settings. `more` is added as it is."""
    context = click.get_current_context(silent=True)
    name = context.command_path.partition(" ")[2] if context else ""
    named = {key: None for each in about if isinstance(each, dict) for key in each}
    numbers = [each.id if isinstance(each, User) else each for each in about]
    counted = [each for each in numbers if isinstance(each, int) and not isinstance(each, bool)]
    details = named | ({"numbers": counted[:MAX_DETAILS]} if counted else {}) | more
    return Act(name, None, f"command line, {_user()}", details)


def _people_in(result: object) -> list[User]:
    """The users in the result of an action."""
    given = result if isinstance(result, list | tuple) else [result]
    return [each for each in given if isinstance(each, User)]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the user id has no name, as in a container
        return str(os.getuid())


def open_data(flags: dict[str, Any], *, may_make: bool = False) -> tuple[Config, BlockingDatabase]:
    """Open the existing data. Without any, raise NoData, or create it if `may_make`."""
    config = Config.load(flags, os.environ)
    try:
        database = data_dir.open_alongside_server(config)
    except NoData:
        if not may_make:
            raise
        database = data_dir.open_database(config)
    click.get_current_context().call_on_close(database.close)
    data_dir.check_vault(config, database)
    return config, database


def in_organization(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: pass the OpenOrganization that `--org` names."""

    @wraps(command)
    def run(org: str | None, **given: Any) -> None:
        flags = {name: given.pop(name) for name in COMMON_FLAGS}
        command(open_organization(org, flags), **given)

    choice = click.option(
        "--org",
        metavar="SUBDOMAIN",
        help="The subdomain of the organization; default: the first one.",
    )
    return choice(config_options(for_serve=False)(run))


def for_person(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: pass the user whose address is the argument EMAIL."""

    @wraps(command)
    def run(opened: OpenOrganization, email: str, **given: Any) -> None:
        command(opened, find_person(opened, email), **given)

    return click.argument("email")(in_organization(run))


def open_organization(org: str | None, flags: dict[str, Any]) -> OpenOrganization:
    config, database = open_data(flags)
    known = database.of(0).read(storage.organization.realms.list_all)
    if not known:
        raise NoData(config)
    realm = known[0] if org is None else _at_subdomain(org, known)
    return OpenOrganization(config, database, known, realm)


def find_person(opened: OpenOrganization, email: str) -> User:
    """Find a user by real email address, or end the command with an error."""
    found = opened.read(storage.people.users.find_by_email, email)
    if found is None or found.is_system_bot:
        raise click.ClickException(f"{opened.realm.name} has no account {email}.")
    return found


def show_table(rows: Iterable[Sequence[str]]) -> None:
    """Print rows in columns; the first row is their headings."""
    listed = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    for row in listed:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def channel_id(tx: Tx, name: str) -> int:
    found = storage.channels.table.find_by_name(tx, name)
    if found is None:
        raise click.ClickException(f"There is no channel {name}.")
    return found.id


def show_json(value: object) -> None:
    click.echo(msgspec.json.encode(value).decode())


def _at_subdomain(subdomain: str, known: list[Realm]) -> Realm:
    for realm in known:
        if realm.subdomain == subdomain:
            return realm
    there = ", ".join(f"'{realm.subdomain}'" for realm in known)
    raise click.ClickException(
        f"No organization has the subdomain '{subdomain}'; the subdomains are: {there}."
    )


def truncate_wal(opened: OpenOrganization) -> None:
    """Remove deleted data from the write-ahead log, or say that it is still there."""
    if not opened.database.truncate_wal():
        click.echo(
            "The write-ahead log still contains the deleted data, because a reader uses it. The"
            " server empties it when it stops.",
            err=True,
        )


def described(count: int, oldest_at: float | None = None, newest_at: float | None = None) -> str:
    """ "1,234 messages, sent from 2025-01-02 to 2026-03-04"."""
    noun = "message" if count == 1 else "messages"
    if oldest_at is None or newest_at is None:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}, sent from {day(oldest_at)} to {day(newest_at)}"


def day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()
