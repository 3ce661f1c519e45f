"""The list of all commands: those of `tertulia`, `tertulia user` and `tertulia org`."""

import sys
from typing import Any

import click

from tertulia import __version__
from tertulia.cli.command_group import CommandGroup, load

COMMANDS = {
    "serve": "serve.serve",
    "quickstart": "quickstart.quickstart",
    "setup-code": "setup_code.setup_code",
    "user": "commands.user",
    "org": "commands.org",
    "messages": "deleted_messages.messages",
    "files": "files.files",
    "export": "exporting.export",
    "import": "importing.import_",
    "hold": "legal_holds.hold",
    "discover": "discovery.discover",
    "secret": "secret.secret",
    "audit": "audit.audit",
    "mail": "mail.mail",
    "backup": "backup.backup",
    "restore": "restore.restore",
    "move": "move.move",
    "ldap": "ldap.ldap",
    "check": "check.check",
    "upgrade": "upgrade.upgrade",
    "health": "health.health",
    "operator-link": "operator_link.operator_link",
    "selftest": "selftest.selftest",
    "version": "version.version",
}

USER_COMMANDS = {
    "add": "users.add",
    "list": "user_list.list_users",
    "invite": "user_import.invite",
    "import": "user_import.import_people",
    "role": "users.role",
    "deactivate": "users.deactivate",
    "reactivate": "users.reactivate",
    "erase": "users.erase",
    "password": "passwords.set_password",
    "link": "passwords.make_link",
    "end-password": "passwords.end_password",
    "reset-key": "users.reset_key",
    "zuliprc": "users.print_zuliprc",
    "sessions": "users.sessions",
    "unlock": "users.unlock",
    "second-factor": "users.second_factor",
    "unlink": "users.unlink",
}

ORG_COMMANDS = {
    "create": "organizations.create",
    "list": "organization_list.list_organizations",
    "settings": "organization_list.list_settings",
    "set": "organizations.set_setting",
    "deactivate": "organizations.deactivate",
    "reactivate": "organizations.reactivate",
    "delete": "organizations.delete",
}


class Commands(CommandGroup):
    """Turns errors that the user can fix into a message of one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        _check_system()  # first: a command's imports would fail with an unclear error
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            sentence = load("errors.describe")(error)
            if sentence is None:
                raise
            raise click.ClickException(sentence) from error


def _check_system() -> None:
    if sys.platform == "win32":
        raise click.ClickException(
            "Tertulia needs Linux or macOS. On Windows, run it in WSL: wsl --install"
        )


@click.group(cls=Commands, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="Tertulia %(version)s")
def main() -> None:
    """A team chat server: one process, one data folder."""


@click.group(cls=CommandGroup, table=USER_COMMANDS)
def user() -> None:
    """Manage accounts: add, list, change, deactivate, erase; passwords and API keys."""


@click.group(cls=CommandGroup, table=ORG_COMMANDS)
def org() -> None:
    """Manage organizations: create, list, deactivate, delete, change settings."""
