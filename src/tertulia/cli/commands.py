"""`tertulia` itself: the list of its commands, and their error messages.

A command's module is imported when the command runs, so `user list` does not load the server.
"""

import errno
import gc
import importlib
import sys
from types import ModuleType
from typing import Any

import click

from tertulia import domain
from tertulia.config import ConfigError
from tertulia.database import error_text
from tertulia.errors import ClientError, StartupError

# Each is found under its own name in the module named here.
COMMANDS = {
    "serve": ("serve", "Run the server; create the data folder if it is missing."),
    "user": (
        "users",
        "Manage accounts: add, list, change, deactivate, erase; passwords and API keys.",
    ),
    "org": (
        "organizations",
        "Manage organizations: create, list, deactivate, delete, change settings.",
    ),
    "files": (
        "files",
        "Manage uploaded files: show where they are, move them to another store.",
    ),
    "export": ("exporting", "Export an organization in Zulip's export format."),
    "import": ("importing", "Import an export from Zulip, Slack, Mattermost or Rocket.Chat."),
    "secret": ("secret", "Replace the server's secret."),
    "audit": ("audit", "Show the audit log, newest entries first."),
    "mail": ("mail", "Test outgoing mail, receive incoming mail."),
    "backup": ("backup", "Back up everything to one file; the server can keep running."),
    "restore": ("restore", "Restore a backup into an empty data folder or database."),
    "move": ("move", "Copy everything to another database, such as from SQLite to PostgreSQL."),
    "ldap": ("ldap", "Check LDAP settings, synchronize accounts with LDAP."),
    "check": ("check", "Check the data and the settings for problems."),
    "generate": ("generate", "Create a test organization of a given size."),
}


FUNCTIONS = {"import": "import_"}  # `import` is a keyword of Python


class Commands(click.Group):
    """Turns errors that the user can fix into a message of one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = _loaded(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, FUNCTIONS.get(cmd_name, cmd_name))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            _check_system()  # first: a command's imports would fail with an unclear error
            return super().invoke(ctx)
        except Exception as error:
            sentence = in_words(error)
            if sentence is None:
                raise
            raise click.ClickException(sentence) from error


def _check_system() -> None:
    if sys.platform == "win32":
        raise StartupError(
            "Tertulia needs Linux or macOS. On Windows, run it in WSL: wsl --install"
        )


def _loaded(module: str) -> ModuleType:
    """Import without garbage collection, which would make the import ten percent slower."""
    gc.disable()
    try:
        return importlib.import_module(f"tertulia.cli.{module}")
    finally:
        gc.freeze()
        gc.enable()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(domain.version.VERSION, message="Tertulia %(version)s")
def main() -> None:
    """A team chat server: one process, one data folder."""


def in_words(error: Exception) -> str | None:
    if isinstance(error, ClientError):
        return error.msg
    if isinstance(error, ConfigError | StartupError):
        return str(error)
    if isinstance(error, UnicodeError):
        return "The input is not valid UTF-8."
    if isinstance(error, OSError) and error.errno != errno.EPIPE:
        return f"{error.filename or 'The system'}: {error.strerror}."
    return error_text.in_words(error)
