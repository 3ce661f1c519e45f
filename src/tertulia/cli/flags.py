"""The settings as flags of the commands."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tertulia.config import SETTINGS, SWITCH, Setting

Command = TypeVar("Command", bound=Callable[..., Any])

_DOCS_LINK = re.compile(r"\[[^]]+\]\(([\w.-]+)\)")

COMMON_FLAGS = ["config", *(row.name for row in SETTINGS if row.flag_of == "every command")]


def config_options(
    *, for_serve: bool, listed: tuple[str, ...] = ()
) -> Callable[[Command], Command]:
    """Decorator: the flags of `tertulia serve`, or those of every other command.

    With `listed`, the help shows only these flags of `tertulia serve`.
    The values are passed unparsed to `Config.load`; a flag that is not given is None.
    """
    shown = ("every command", "serve") if for_serve else ("every command",)

    def decorate(command: Command) -> Command:
        for row in reversed([row for row in SETTINGS if row.flag_of in shown]):
            is_hidden = bool(listed) and row.flag_of == "serve" and row.name not in listed
            command = _option(row, is_hidden=is_hidden)(command)
        return click.option("--config", metavar="FILE", help="The settings file.")(command)

    return decorate


def _option(row: Setting, *, is_hidden: bool) -> Callable[[Command], Command]:
    text = f"{row.help} [default: {row.shown_default}]"
    help = _DOCS_LINK.sub(r"docs/\1", text.replace("`", ""))
    if row.kind is SWITCH:
        return click.option("/".join(row.flags), default=None, help=help, hidden=is_hidden)
    return click.option(*row.flags, metavar=row.kind.form, help=help, hidden=is_hidden)
