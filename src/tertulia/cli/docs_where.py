"""What can be done where: in the page, with the API, on the command line; for `docs/where.md`.

Rows are made from the code. The page's calls are found in its scripts; a command belongs to a call
if both name the same action.
"""

import inspect
import re
from collections.abc import Iterator
from importlib import resources

import click

from tertulia.api.routes import ROUTES
from tertulia.cli.command_group import CommandGroup, load
from tertulia.cli.commands import COMMANDS
from tertulia.http.routing import Route

FOLDERS = "admin", "core", "dialogs", "state", "sync", "views"
_ACTION = re.compile(r"\bactions(?:\.\w+)+")
_CALL = re.compile(r"\b(get|post|patch|put|remove)\(\s*(?:\"(/[^\"]*)\"|`(/[^`]*)`)")
_METHODS = {"get": "GET", "post": "POST", "patch": "PATCH", "put": "PUT", "remove": "DELETE"}
_VALUE = re.compile(r"\$\{[^}]*\}")
_PARAMETER = re.compile(r"\{[^}]*\}")


def where_page() -> str:
    calls, commands = _page_calls(), dict(_commands())
    rows = "".join(_row(route, calls, commands) for route in ROUTES)
    shared = {name for route in ROUTES for name in _same_actions(route, commands)}
    others = "".join(
        f"| `tertulia {name}` | {help_text} |\n"
        for name, (help_text, _) in commands.items()
        if name not in shared
    )
    return _PAGE.format(rows=rows, others=others)


def _row(
    route: Route, calls: set[tuple[str, str]], commands: dict[str, tuple[str, set[str]]]
) -> str:
    path = route.path.replace(":path}", "}")
    in_page = "yes" if (route.method, _PARAMETER.sub("{}", path)) in calls else ""
    named = ", ".join(f"`tertulia {name}`" for name in _same_actions(route, commands))
    return f"| {route.summary} | {in_page} | `{route.method} {path}` | {named} |\n"


def _same_actions(route: Route, commands: dict[str, tuple[str, set[str]]]) -> list[str]:
    own = set(_ACTION.findall(inspect.getsource(inspect.unwrap(route.endpoint))))
    return [name for name, (_, actions) in commands.items() if own & actions]


def _page_calls() -> set[tuple[str, str]]:
    """Method and path of the calls in the page's scripts, with `{}` for values."""
    static = resources.files("tertulia.web") / "static"
    found: set[tuple[str, str]] = set()
    for folder in FOLDERS:
        for script in (static / folder).iterdir():
            if script.name.endswith(".js"):
                for verb, plain, template in _CALL.findall(script.read_text(encoding="utf-8")):
                    found.add((_METHODS[verb], _VALUE.sub("{}", plain or template)))
    return found


def _commands() -> Iterator[tuple[str, tuple[str, set[str]]]]:
    """Every command with its help and the actions that its function names."""
    for name, (path, help_text) in COMMANDS.items():
        yield from _with_subcommands(name, load(path), help_text)


def _with_subcommands(
    name: str, command: click.Command, help_text: str
) -> Iterator[tuple[str, tuple[str, set[str]]]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            inner = command.get_command(context, each)
            assert inner is not None
            text = command._table[each][1] if isinstance(command, CommandGroup) else inner.help
            yield from _with_subcommands(f"{name} {each}", inner, text or "")
        return
    assert command.callback is not None
    source = inspect.getsource(inspect.unwrap(command.callback))
    yield name, (help_text.partition("\n")[0], set(_ACTION.findall(source)))


_PAGE = """\
# What can be done where

Everything that the API offers, whether the page uses it, and the commands that do the same. "Page"
is yes if a script of the page makes the call. `make docs` generates this page.

| What | Page | API | Command line |
|---|---|---|---|
{rows}
## Only on the command line

These need access to the server's data.

| Command | What it does |
|---|---|
{others}"""
