"""`tertulia org list` and `tertulia org settings`."""

from typing import Any

import click

from tertulia import storage
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import (
    OpenOrganization,
    as_json,
    in_organization,
    open_organization,
    show_json,
    show_table,
)
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import Members
from tertulia.domain.organization.settings import SETTINGS, OrganizationSetting, PeopleNamed


@click.command("list")
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
                for each in opened.database.of(realm.id).read(storage.people.users.list_all)
            ),
        }
        for realm in opened.database.of(0).read(storage.organization.realms.list_all)
    ]
    if as_json:
        show_json(found)
    else:
        rows = [[str(value) for value in row.values()] for row in found]
        show_table([("ID", "SUBDOMAIN", "NAME", "PEOPLE"), *rows])


@click.command("settings")
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
    names = {group.id: group.name for group in storage.groups.list_all(tx)}
    return [
        {
            "name": setting.name,
            "value": _written(setting, storage.organization.settings.present(tx, setting), names),
            "default": _written(setting, setting.default, names),
            "meaning": setting.meaning,
        }
        for setting in SETTINGS.values()
    ]


def _written(setting: OrganizationSetting, value: Any, group_names: dict[int, str]) -> str:
    """The value as command-line text; users named individually appear as a number."""
    if isinstance(value, Members):
        named = [group_names[each] for each in value.direct_subgroups]
        return ", ".join([*named, f"{len(value.direct_members)} people"])
    if isinstance(setting.kind, PeopleNamed) and isinstance(value, int):
        return group_names[value]
    return setting.kind.written(value)
