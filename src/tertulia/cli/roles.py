"""Roles by the words that commands call them."""

from collections.abc import Callable
from typing import Any

import click

from tertulia.domain.people.user import Role

ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMINISTRATOR,
    "moderator": Role.MODERATOR,
    "member": Role.MEMBER,
    "guest": Role.GUEST,
}


def role_option(meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the option `--role`, whose default is a member."""
    roles = click.Choice(list(ROLES))
    return click.option("--role", type=roles, default="member", show_default=True, help=meaning)
