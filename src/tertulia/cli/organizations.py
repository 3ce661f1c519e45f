"""`tertulia org`: the organizations on a server and their settings."""

import difflib
from typing import Any, NoReturn

import click

from tertulia import actions, external, jobs, storage
from tertulia.cli.data import (
    OpenOrganization,
    as_json,
    command_act,
    in_organization,
    open_data,
    open_organization,
    organization_as_author,
    show_json,
    show_table,
    truncate_wal,
)
from tertulia.cli.flags import config_options
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import Members, PermissionChange
from tertulia.domain.organization.realm import Realm
from tertulia.domain.organization.settings import SETTINGS, OrganizationSetting, PeopleNamed
from tertulia.lazy import asyncio

FILES_AT_ONCE = 1000

MAX_SHOWN_LENGTH = 60  # characters of an invalid value in an error


@click.group()
def org() -> None:
    """Manage organizations: create, list, deactivate, delete, change settings."""


@org.command()
@click.argument("name")
@click.option(
    "--subdomain", metavar="S", default="", help="The subdomain of the server's host name."
)
@as_json
@config_options(for_serve=False)
def create(name: str, subdomain: str, as_json: bool, **flags: Any) -> None:
    """Create an organization, and the data folder if it is missing."""
    _, database = open_data(flags, may_make=True)
    act = command_act()

    def found(tx: Tx) -> Realm:
        realm = actions.organization.create(tx, name, subdomain)
        actions.organization.audit.note(tx.for_realm(realm.id), act)
        return realm

    realm = database.write_now(0, found)
    if as_json:
        show_json({"id": realm.id, "subdomain": realm.subdomain, "name": realm.name})
    else:
        click.echo(f"Created {realm.name}, subdomain '{realm.subdomain}'.", err=True)


@org.command("list")
@as_json
@config_options(for_serve=False)
def list_organizations(as_json: bool, **flags: Any) -> None:
    """List the organizations on this server."""
    opened = open_organization(None, flags)
    found = [
        {
            "id": realm.id,
            "subdomain": realm.subdomain,
            "name": realm.name,
            "people": sum(
                each.is_active and not each.is_bot
                for each in opened.database.read_now(realm.id, storage.people.everyone)
            ),
        }
        for realm in opened.database.read_now(0, storage.organization.all_of_them)
    ]
    if as_json:
        show_json(found)
    else:
        rows = [[str(value) for value in row.values()] for row in found]
        show_table([("ID", "SUBDOMAIN", "NAME", "PEOPLE"), *rows])


@org.command()
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@in_organization
def delete(opened: OpenOrganization, yes: bool) -> None:
    """Delete all data of a deactivated organization. This cannot be undone."""
    if opened.realm.deactivated and not yes:
        click.confirm(f"Delete all data of {opened.realm.name}?", abort=True, err=True)
    opened.read(actions.organization.deactivation.check_closed)
    stores = external.stores.file_stores.FileStores(opened.config)
    while found := opened.read(
        storage.files.upload_locations.elsewhere_in_organization, FILES_AT_ONCE
    ):
        jobs.upload_migration.remove(opened.database, stores, found)
    while opened.database.write_now(opened.realm.id, actions.organization.deactivation.delete_some):
        pass
    truncate_wal(opened)
    click.echo(f"Deleted {opened.realm.name}. Existing backups still contain its data.", err=True)


@org.command("set", context_settings={"ignore_unknown_options": True})  # so that -1 is a value
@click.argument("key")
@click.argument("value")
@in_organization
def set_setting(opened: OpenOrganization, key: str, value: str) -> None:
    """Change a setting, for example: org set name "New name"."""
    setting = SETTINGS.get(key) or _unknown(key)
    chosen = _read_value(opened, setting, value)
    html = {key: _html(opened, value)} if setting.is_markup else {}
    offered = opened.config.login_methods(opened.realm.subdomain)
    opened.write(actions.organization.settings.edit, None, {key: chosen}, html, offered)
    click.echo(f"{key} is now {value}.", err=True)


@org.command("deactivate")
@in_organization
def deactivate(opened: OpenOrganization) -> None:
    """Deactivate an organization: no one can log in, and its data stays."""
    opened.write(actions.organization.deactivation.deactivate, None)
    click.echo("The organization is deactivated; `org reactivate` reactivates it.", err=True)


@org.command("reactivate")
@in_organization
def reactivate(opened: OpenOrganization) -> None:
    """Reactivate a deactivated organization."""
    opened.write(actions.organization.deactivation.reactivate)
    click.echo("The organization is reactivated.", err=True)


@org.command("settings")
@as_json
@in_organization
def list_settings(opened: OpenOrganization, as_json: bool) -> None:
    """List all settings with their values, defaults and meanings."""
    found = opened.read(_all_settings)
    if as_json:
        show_json(found)
    else:
        rows = [list(row.values()) for row in found]
        show_table([("NAME", "VALUE", "DEFAULT", "MEANING"), *rows])


def _all_settings(tx: Tx) -> list[dict[str, str]]:
    names = {group.id: group.name for group in storage.groups.everything(tx)}
    return [
        {
            "name": setting.name,
            "value": _written(setting, storage.organization.settings.present(tx, setting), names),
            "default": _written(setting, setting.default, names),
            "meaning": setting.meaning,
        }
        for setting in SETTINGS.values()
    ]


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
    for group in opened.read(storage.groups.everything):
        if group.name == name:
            return PermissionChange(group.id)
    raise ValueError(name)


def _html(opened: OpenOrganization, text: str) -> str:
    """Render markup with the organization as the author."""
    author = organization_as_author(opened)
    return asyncio.run(actions.messages.draft.describe(author, text))


def _written(setting: OrganizationSetting, value: Any, group_names: dict[int, str]) -> str:
    """The value as command-line text; users named individually appear as a number."""
    if isinstance(value, Members):
        named = [group_names[each] for each in value.direct_subgroups]
        return ", ".join([*named, f"{len(value.direct_members)} people"])
    if isinstance(setting.kind, PeopleNamed) and isinstance(value, int):
        return group_names[value]
    return setting.kind.written(value)
