"""Command groups that import the module of a command when the command runs.

`tertulia user list` therefore loads neither the server nor the other commands.
"""

import ast
import gc
import importlib
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click


class CommandGroup(click.Group):
    """`table` holds, by the name of a command, its function in this package."""

    def __init__(self, *args: Any, table: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        command: click.Command = load(self._table[cmd_name])
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
            formatter.write_dl([(name, summary(path)) for name, path in self._table.items()])


def summary(path: str) -> str:
    """The first sentence of a command's docstring, read without importing its module."""
    module, _, name = path.rpartition(".")
    source = Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    functions = [each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef)]
    (docstring,) = (ast.get_docstring(each) for each in functions if each.name == name)
    sentence, _, _ = " ".join((docstring or "").split("\n\n")[0].split()).partition(". ")
    return f"{sentence.rstrip('.')}."


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
