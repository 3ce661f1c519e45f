"""`tertulia` itself: the list of its commands."""

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
        "user_commands.user",
        "Manage accounts: add, list, change, deactivate, erase; passwords and API keys.",
    ),
    "org": (
        "org_commands.org",
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
        "Import an export from Zulip, Slack, Mattermost or Rocket.Chat.",
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
    "generate": ("generate.generate", "Create a test organization of a given size."),
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
