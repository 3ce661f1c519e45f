"""The list of all commands: those of `tertulia`, `tertulia user` and `tertulia org`."""

import sys
from typing import Any

import click

from tertulia import __version__
from tertulia.cli.command_group import CommandGroup, load

COMMANDS = {
    "serve": ("serve.serve", "Run the server; create the data folder if it is missing."),
    "quickstart": (
        "quickstart.quickstart",
        "Set up a public server: settings, systemd units, a nightly backup, a certificate.",
    ),
    "setup-code": (
        "setup_code.setup_code",
        "Print the address of the first-run page, with the setup code.",
    ),
    "user": (
        "commands.user",
        "Manage accounts: add, list, change, deactivate, erase; passwords and API keys.",
    ),
    "org": (
        "commands.org",
        "Manage organizations: create, list, deactivate, delete, change settings.",
    ),
    "messages": (
        "deleted_messages.messages",
        "List, restore or erase deleted messages, within the organization's grace period.",
    ),
    "files": (
        "files.files",
        "Manage uploaded files: show where they are, move them to another store.",
    ),
    "export": (
        "exporting.export",
        "Export an organization in Zulip's export format, or as a folder of HTML pages.",
    ),
    "import": (
        "importing.import_",
        "Import an export of another chat as a new organization.",
    ),
    "hold": (
        "legal_holds.hold",
        "Manage legal holds: keep the deleted messages of people or channels.",
    ),
    "discover": (
        "discovery.discover",
        "Export messages by person, channel, word and date as HTML pages, for a legal discovery.",
    ),
    "secret": ("secret.secret", "Replace the server's secret."),
    "audit": ("audit.audit", "Show the audit log, newest entries first."),
    "mail": ("mail.mail", "Test outgoing mail, receive incoming mail."),
    "backup": ("backup.backup", "Back up everything to one file; the server can keep running."),
    "restore": ("restore.restore", "Restore a backup into an empty data folder or database."),
    "move": (
        "move.move",
        "Copy everything to another database, such as from SQLite to PostgreSQL.",
    ),
    "ldap": ("ldap.ldap", "Check LDAP settings, synchronize accounts with LDAP."),
    "check": ("check.check", "Check the data and the settings for problems."),
    "upgrade": (
        "upgrade.upgrade",
        "Check whether this version can read the data, and whether you can go back.",
    ),
    "health": (
        "health.health",
        "Query /health of the running server, at the port in its settings.",
    ),
    "operator-link": (
        "operator_link.operator_link",
        "Print the address of the operator's page, with a token.",
    ),
    "selftest": (
        "selftest.selftest",
        "Test this installation: start, first owner, message, restart, backup, restore.",
    ),
    "version": ("version.version", "Print the version."),
}

USER_COMMANDS = {
    "add": (
        "users.add",
        "Add a person or a bot, and print the API key.",
    ),
    "list": (
        "user_list.list_users",
        "List all accounts, including bots and deactivated ones.",
    ),
    "invite": (
        "user_import.invite",
        "Invite people by mail; without EMAIL, print a link that several people can use.",
    ),
    "import": (
        "user_import.import_people",
        "Create accounts from a CSV file: all of them, or none.",
    ),
    "role": (
        "users.role",
        "Change the role of an account.",
    ),
    "deactivate": (
        "users.deactivate",
        "Deactivate an account; its API key and sessions stop working at once.",
    ),
    "reactivate": (
        "users.reactivate",
        "Reactivate an account; a bot with a deactivated owner gets a new key.",
    ),
    "erase": (
        "users.erase",
        "Deactivate an account and delete its data.",
    ),
    "password": (
        "passwords.set_password",
        "Set a user's password: prompt for it, or read the first line of stdin.",
    ),
    "link": (
        "passwords.make_link",
        "Print a link to choose a password; it works once, for 24 hours.",
    ),
    "end-password": (
        "passwords.end_password",
        "Make passwords invalid, so that users must choose new ones.",
    ),
    "reset-key": (
        "users.reset_key",
        "Replace the API key and print the new one; the old key stops working at once.",
    ),
    "zuliprc": (
        "users.print_zuliprc",
        "Print a zuliprc file for a client or a bot.",
    ),
    "sessions": (
        "users.sessions",
        "List the browser sessions of a user, most recently used first.",
    ),
    "unlock": (
        "users.unlock",
        "Clear the failed login attempts of a user, so that they can log in again.",
    ),
    "second-factor": (
        "users.second_factor",
        "Show or remove the second factor of a user.",
    ),
    "unlink": (
        "users.unlink",
        "Remove the link to a login provider; the next login matches by email address.",
    ),
}

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
