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

FOLDERS = ".", "admin", "core", "dialogs", "state", "sync", "views"
_ACTION = re.compile(r"\bactions(?:\.\w+)+")
_PATH = re.compile(r"[\"`](/[^\"`\s]*)[\"`]")
_CALL = re.compile(rf"(?<![.\w#])(get|post|patch|put|remove)\(\s*{_PATH.pattern}")
# A call whose path is in a variable, perhaps with more behind it.
_INDIRECT_CALL = re.compile(
    r"(?<![.\w#])(get|post|patch|put|remove)\((?:\w+ \? )?(?:path|`\$\{path\}([^`]*)`)"
)
_ASSIGNED_PATH = re.compile(r"^ *const path = (.*);$", re.MULTILINE)
_UPLOAD = re.compile(rf"\b(?:fileButton|apiUrl)\([^;]*?{_PATH.pattern}")
_METHODS = {"get": "GET", "post": "POST", "patch": "PATCH", "put": "PUT", "remove": "DELETE"}
_VALUE = re.compile(r"\$\{[^}]*\}")
_PARAMETER = re.compile(r"\{[^}]*\}")


def where_page() -> str:
    calls, commands = page_calls(), dict(_commands())
    rows = ""
    for route in ROUTES:
        rows += _row(route, calls, commands)
        calls.discard(call_of(route))  # the next one with this path takes an address, not an id
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
    in_page = "yes" if call_of(route) in calls else ""
    named = ", ".join(f"`tertulia {name}`" for name in _same_actions(route, commands))
    return f"| {route.summary} | {in_page} | `{route.method} {path}` | {named} |\n"


def call_of(route: Route) -> tuple[str, str]:
    """The method and path of a route, with `{}` for its parameters."""
    return route.method, _PARAMETER.sub("{}", route.path)


def _same_actions(route: Route, commands: dict[str, tuple[str, set[str]]]) -> list[str]:
    own = set(_ACTION.findall(inspect.getsource(inspect.unwrap(route.endpoint))))
    return [name for name, (_, actions) in commands.items() if own & actions]


def page_calls() -> set[tuple[str, str]]:
    """Method and path of the calls in the page's scripts, with `{}` for values."""
    static = resources.files("tertulia.web") / "static"
    scripts = [
        script.read_text(encoding="utf-8")
        for folder in FOLDERS
        for script in (static / folder).iterdir()
        if script.name.endswith(".js")
    ]
    return {call for script in scripts for call in _calls_in(script)}


def _calls_in(script: str) -> Iterator[tuple[str, str]]:
    """The calls of one script. A path in a variable is one that the script assigns, or else one of
    its paths."""
    for verb, path in _CALL.findall(script):
        yield _METHODS[verb], _VALUE.sub("{}", path)
    assigned = "\n".join(_ASSIGNED_PATH.findall(script)) or script
    paths = {_VALUE.sub("{}", each) for each in _PATH.findall(assigned)}
    for verb, rest in _INDIRECT_CALL.findall(script):
        for path in paths:
            yield _METHODS[verb], path + _VALUE.sub("{}", rest)
    for path in _UPLOAD.findall(script):
        for method in ("POST", "DELETE"):
            yield method, _VALUE.sub("{}", path)


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
