"""Command groups that import the module of a command when the command runs.

`tertulia user list` therefore loads neither the server nor the other commands.
"""

import gc
import importlib
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click


class CommandGroup(click.Group):
    """`table` holds, by the name of a command, its function in this package and its help."""

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        command: click.Command = load(self._table[cmd_name][0])
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names the command that was probably meant, if there is no such one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], [*self._table, "--help"], n=1)
            if not near:
                raise
            text = f"{error.message} Did you mean '{near[0]}'?"
            raise click.UsageError(text, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in self._table.items()])


def load(path: str) -> Any:
    """Import a function of this package, such as `users.add`.

    Garbage collection is off meanwhile: it would make the import ten percent slower.
    """
    module, _, name = path.rpartition(".")
    gc.disable()
    try:
        found = getattr(importlib.import_module(f"tertulia.cli.{module}"), name)
        if "tertulia.actions" in sys.modules:  # features add to actions, as in the server
            importlib.import_module("tertulia.features")
        return found
    finally:
        gc.freeze()
        gc.enable()
