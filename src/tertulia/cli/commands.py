"""`tertulia` itself: the list of its commands, and how their failures are told.

A command is imported when it is called: whoever lists users does not wait for the server's code.
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
    "serve": ("serve", "Run the server, on a data folder that is made if there is none."),
    "user": (
        "users",
        "Accounts: add, list and change them, end or erase them, replace keys and passwords.",
    ),
    "org": (
        "organizations",
        "Organizations: found, list, close and delete them, change their settings.",
    ),
    "files": (
        "files",
        "Uploaded files: see where they are, move them to where the settings say, sweep.",
    ),
    "export": ("exporting", "Write an organization to an archive, in the form of Zulip's exports."),
    "import": ("importing", "Bring in an export of Zulip, Slack, Mattermost or Rocket.Chat."),
    "secret": ("secret", "The server's secret: replace it while the server runs."),
    "audit": ("audit", "List who did what, the newest first."),
    "mail": ("mail", "Mail: see whether the server can send any, take in what comes."),
    "backup": ("backup", "Copy everything to a file, beside a running server."),
    "restore": ("restore", "Fill an empty place with what a backup holds."),
    "move": ("move", "Copy everything into another, empty database."),
    "ldap": ("ldap", "Directories: show what they know of somebody, bring accounts up to date."),
    "check": ("check", "Verify the data and say what was found."),
    "generate": ("generate", "Fill a new data folder with a made-up organization."),
}


FUNCTIONS = {"import": "import_"}  # whose names are words of Python


class Commands(click.Group):
    """Tells in one sentence what somebody at the keyboard can put right."""

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
            _check_system()  # before a command is loaded, which would fail in words of its own
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
    """All that is loaded stays: that the collector looks through it would take a tenth longer."""
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
        return "What was given is not valid UTF-8."
    if isinstance(error, OSError) and error.errno != errno.EPIPE:
        return f"{error.filename or 'The system'}: {error.strerror}."
    return error_text.in_words(error)
