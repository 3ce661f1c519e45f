"""`tertulia org`: the list of its commands."""

import click

from tertulia.cli.command_group import CommandGroup

ORG_COMMANDS = {
    "create": (
        "organizations.create",
        "Create an organization, and the data folder if it is missing.",
    ),
    "list": (
        "organization_list.list_organizations",
        "List the organizations on this server.",
    ),
    "settings": (
        "organization_list.list_settings",
        "List all settings with their values, defaults and meanings.",
    ),
    "set": (
        "organizations.set_setting",
        'Change a setting, for example: org set name "New name".',
    ),
    "deactivate": (
        "organizations.deactivate",
        "Deactivate an organization: no one can log in, and its data stays.",
    ),
    "reactivate": (
        "organizations.reactivate",
        "Reactivate a deactivated organization.",
    ),
    "delete": (
        "organizations.delete",
        "Delete all data of a deactivated organization.",
    ),
}


@click.group(cls=CommandGroup, table=ORG_COMMANDS)
def org() -> None:
    """Manage organizations: create, list, deactivate, delete, change settings."""
