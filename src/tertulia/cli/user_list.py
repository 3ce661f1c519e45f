"""`tertulia user list`."""

import click

from tertulia import storage
from tertulia.cli.open_data import OpenOrganization, as_json, in_organization, show_json, show_table
from tertulia.cli.roles import ROLES
from tertulia.domain.people.user import User

ROLE_NAMES = {role: name for name, role in ROLES.items()}


@click.command("list")
@as_json
@in_organization
def list_users(opened: OpenOrganization, as_json: bool) -> None:
    """List all accounts, including bots and deactivated ones."""
    everyone = opened.read(storage.people.users.list_all)
    shown = [each for each in everyone if not each.is_system_bot]

    if as_json:
        show_json([_described(each) for each in shown])
    else:
        rows = [(str(each.id), each.email, each.full_name, _state(each)) for each in shown]
        show_table([("ID", "EMAIL", "NAME", "ROLE"), *rows])


def _described(each: User) -> dict[str, object]:
    return {
        "user_id": each.id,
        "email": each.email,
        "name": each.full_name,
        "role": ROLE_NAMES[each.role],
        "is_bot": each.is_bot,
        "is_active": each.is_active,
    }


def _state(each: User) -> str:
    words = [ROLE_NAMES[each.role]]
    if each.is_bot:
        words.append("bot")
    if not each.is_active:
        words.append("deactivated")
    return ", ".join(words)
