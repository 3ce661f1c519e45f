"""`tertulia org`: the organizations on a server and their settings."""

import asyncio
import difflib
from typing import Any, NoReturn

import click

from tertulia import actions, events, features, storage
from tertulia.actions.messages.draft import Author
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import (
    OpenOrganization,
    as_json,
    audited_command,
    day,
    described,
    in_organization,
    open_data,
    show_json,
    truncate_wal,
)
from tertulia.database.blocking import BlockingRunner
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import PermissionChange
from tertulia.domain.organization.realm import Realm
from tertulia.domain.organization.settings import SETTINGS, OrganizationSetting, PeopleNamed
from tertulia.external.stores.file_stores import FileStores
from tertulia.jobs import upload_migration

FILES_PER_BATCH = 1000

MAX_SHOWN_LENGTH = 60  # characters of an invalid value in an error


@click.command()
@click.argument("name")
@click.option(
    "--subdomain", metavar="S", default="", help="The subdomain of the server's host name."
)
@as_json
@config_options(for_serve=False)
def create(name: str, subdomain: str, as_json: bool, **flags: Any) -> None:
    """Create an organization, and the data folder if it is missing."""
    _, database = open_data(flags, may_make=True)
    act = audited_command()

    def found(tx: Tx) -> Realm:
        realm = actions.organization.creation.create(tx, name, subdomain)
        actions.organization.audit.record(tx.for_realm(realm.id), act)
        return realm

    realm = database.of(0).write(found)
    if as_json:
        show_json({"id": realm.id, "subdomain": realm.subdomain, "name": realm.name})
    else:
        click.echo(f"Created {realm.name}, subdomain '{realm.subdomain}'.", err=True)


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@in_organization
def delete(opened: OpenOrganization, yes: bool) -> None:
    """Delete all data of a deactivated organization. This cannot be undone."""
    opened.read(features.deactivation.check_closed)
    if not yes:
        _confirm_deletion(opened)
    stores = FileStores(opened.config)
    while found := opened.read(
        storage.files.upload_locations.in_stores_of_organization, FILES_PER_BATCH
    ):
        upload_migration.remove(opened.database, stores, found)
    while opened.database.of(opened.realm.id).write(features.deactivation.delete_batch):
        pass
    truncate_wal(opened)
    click.echo(f"Deleted {opened.realm.name}. Existing backups still contain its data.", err=True)


@click.command("set", context_settings={"ignore_unknown_options": True})  # so that -1 is a value
@click.argument("key")
@click.argument("value")
@click.option("--yes", is_flag=True, help="Do not ask before messages are deleted.")
@in_organization
def set_setting(opened: OpenOrganization, key: str, value: str, yes: bool) -> None:
    """Change a setting, for example: org set name "New name"."""
    setting = SETTINGS.get(key) or _unknown(key)
    chosen = _read_value(opened, setting, value)
    if key == "message_retention_days" and not yes:
        _confirm_retention(opened, setting.checked(chosen))
    html = {key: _html(opened, value)} if setting.is_markup else {}
    offered = opened.config.login_methods(opened.realm.subdomain)
    opened.write(actions.organization.settings.edit, None, {key: chosen}, html, offered)
    click.echo(f"{key} is now {value}.", err=True)


@click.command("deactivate")
@in_organization
def deactivate(opened: OpenOrganization) -> None:
    """Deactivate an organization: no one can log in, and its data stays."""
    opened.write(features.deactivation.close, None)
    click.echo("The organization is deactivated; `org reactivate` reactivates it.", err=True)


@click.command("reactivate")
@in_organization
def reactivate(opened: OpenOrganization) -> None:
    """Reactivate a deactivated organization."""
    opened.write(features.deactivation.reactivate)
    click.echo("The organization is reactivated.", err=True)


def _confirm_deletion(opened: OpenOrganization) -> None:
    found = opened.read(storage.messages.expired.in_organization)
    people = sum(not each.is_bot for each in opened.read(storage.people.users.list_all))
    files, size = opened.read(storage.files.attachments.count)
    click.confirm(
        f"{opened.realm.name} has {people:,} {'account' if people == 1 else 'accounts'},"
        f" {files:,} {'file' if files == 1 else 'files'} ({size:,} bytes) and"
        f" {described(found.count, found.oldest_at, found.newest_at)}."
        " Delete all data for good?",
        abort=True,
        err=True,
    )


def _confirm_retention(opened: OpenOrganization, days: int) -> None:
    """Ask, if the new retention period deletes messages that are there now."""
    found = opened.read(features.retention.find_expired, None, None, days)
    if not found.count or found.oldest_at is None or found.newest_at is None:
        return
    noun = "message is" if found.count == 1 else "messages are"
    grace = opened.realm.setting("deleted_message_grace_days")
    end = f"can be restored for {grace} days" if grace else "are gone for good"
    click.confirm(
        f"{found.count:,} {noun} older than {days} days, sent from {day(found.oldest_at)}"
        f" to {day(found.newest_at)}. The server deletes them; they {end}. Continue?",
        abort=True,
        err=True,
    )


def _unknown(key: str) -> NoReturn:
    (nearest,) = difflib.get_close_matches(key, SETTINGS, n=1, cutoff=0)
    raise click.ClickException(f"{key} is not a setting; the nearest one is {nearest}.")


def _read_value(opened: OpenOrganization, setting: OrganizationSetting, text: str) -> Any:
    """Convert command-line text to the value that the API would send."""
    try:
        if isinstance(setting.kind, PeopleNamed):
            return _read_group(opened, text)
        value = setting.kind.read(text)
        setting.kind.checked(value)
    except ValueError:
        shown = text if len(text) <= MAX_SHOWN_LENGTH else f"{text[:MAX_SHOWN_LENGTH]}…"
        raise click.ClickException(
            f'{setting.name} must be {setting.kind.must_be}, not "{shown}".'
        ) from None
    return value


def _read_group(opened: OpenOrganization, name: str) -> PermissionChange:
    for group in opened.read(storage.groups.list_all):
        if group.name == name:
            return PermissionChange(group.id)
    raise ValueError(name)


def _html(opened: OpenOrganization, text: str) -> str:
    """Render markup with the organization as the author."""
    author = organization_as_author(opened)
    return asyncio.run(actions.messages.draft.describe(author, text))


def organization_as_author(opened: OpenOrganization) -> Author:
    """The organization as the author of a message."""
    directory = opened.read(
        events.directory.loader.load, opened.config.email_domain, opened.database.clock
    )
    db = BlockingRunner(opened.database).of(opened.realm.id)
    return Author(db, directory, None, opened.site)
