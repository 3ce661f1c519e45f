"""The settings as flags of the commands."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tertulia.config import SETTINGS, SWITCH, Setting

Command = TypeVar("Command", bound=Callable[..., Any])


COMMON_FLAGS = ["config", *(row.name for row in SETTINGS if row.flag_of == "every command")]


def config_options(*, for_serve: bool) -> Callable[[Command], Command]:
    """Decorator: the flags of `tertulia serve`, or those of every other command.

    The values are passed unparsed to `Config.load`; a flag that is not given is None.
    """
    shown = ("every command", "serve") if for_serve else ("every command",)

    def decorate(command: Command) -> Command:
        for row in reversed([row for row in SETTINGS if row.flag_of in shown]):
            command = _option(row)(command)
        return click.option("--config", metavar="FILE", help="The settings file.")(command)

    return decorate


def _option(row: Setting) -> Callable[[Command], Command]:
    help = row.help.replace("`", "")
    if row.kind is SWITCH:
        return click.option("/".join(row.flags), default=None, help=help)
    return click.option(*row.flags, metavar=row.kind.form, help=help)
