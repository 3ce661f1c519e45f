"""`tertulia org`: the organizations on a server and their settings."""

import difflib
from typing import Any

import click

from tertulia.actions import organizations
from tertulia.cli.flags import config_options
from tertulia.cli.office import (
    as_json,
    in_organization,
    open_data,
    open_office,
    show_json,
    show_table,
)
from tertulia.domain.groups import REALM_PERMISSIONS
from tertulia.domain.realms import DEFAULTS, NULLABLE
from tertulia.storage import realms, users


@click.group()
def org() -> None:
    """Organizations: found and list them, change their settings."""


@org.command()
@click.argument("name")
@click.option(
    "--subdomain", metavar="S", default="", help="Its place before the server's host name."
)
@as_json
@config_options(for_serve=False)
def create(name: str, subdomain: str, as_json: bool, **flags: Any) -> None:
    """Found an organization."""
    _, database = open_data(flags)
    realm = database.write_now(0, organizations.create, name, subdomain)
    if as_json:
        show_json({"id": realm.id, "subdomain": realm.subdomain, "name": realm.name})
    else:
        click.echo(f"Founded {realm.name}, subdomain '{realm.subdomain}'.", err=True)


@org.command("list")
@as_json
@config_options(for_serve=False)
def list_organizations(as_json: bool, **flags: Any) -> None:
    """List the organizations on this server."""
    office = open_office(None, flags)
    found = [
        {
            "id": realm.id,
            "subdomain": realm.subdomain,
            "name": realm.name,
            "people": sum(
                each.is_active and not each.is_bot
                for each in office.database.read_now(realm.id, users.everyone)
            ),
        }
        for realm in office.database.read_now(0, realms.all_of_them)
    ]
    if as_json:
        show_json(found)
    else:
        rows = [[str(value) for value in row.values()] for row in found]
        show_table([("ID", "SUBDOMAIN", "NAME", "PEOPLE"), *rows])


@org.command("set", context_settings={"ignore_unknown_options": True})  # so that -1 is a value
@click.argument("key")
@click.argument("value")
@in_organization
def set_setting(key: str, value: str, org: str | None, **flags: Any) -> None:
    """Change a setting, for example: org set name "New name"."""
    chosen = _read_value(key, value)
    office = open_office(org, flags)
    office.write(organizations.set_setting, key, chosen)
    click.echo(f"{key} is now {value}.", err=True)


def _read_value(key: str, value: str) -> Any:
    """The value as the setting's own type."""
    if key == "name":
        return value
    if key in REALM_PERMISSIONS:
        raise click.ClickException(f"{key} names a group of users and cannot be set here.")
    if key not in DEFAULTS:
        (nearest,) = difflib.get_close_matches(key, ["name", *DEFAULTS], n=1, cutoff=0)
        raise click.ClickException(f"{key} is not a setting; the nearest one is {nearest}.")
    if value == "null" and key in NULLABLE:
        return None
    default = DEFAULTS[key]
    if isinstance(default, bool):
        return _read_switch(key, value)
    return _read_number(key, value) if isinstance(default, int) else value


def _read_switch(key: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise click.ClickException(f'{key} must be true or false, not "{value}".')
    return value == "true"


def _read_number(key: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        or_null = " or null" if key in NULLABLE else ""
        raise click.ClickException(
            f'{key} must be a whole number{or_null}, not "{value}".'
        ) from None
