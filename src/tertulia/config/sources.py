"""How settings are given: flags, `TERTULIA_*` variables, lines and tables of `tertulia.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tertulia.config.login_provider import Provider
from tertulia.config.login_providers import TABLES
from tertulia.config.parsers import PREFIX, ConfigError, Setting, read, unknown

FILE_NAME = "tertulia.toml"
CONFIG_VARIABLE = PREFIX + "CONFIG"
TEST_PREFIX = "TERTULIA_TEST_"  # the test suite's own, inherited by the servers it starts

P = TypeVar("P", bound=Provider)
Settings = Sequence[Setting]


def read_flags(settings: Settings, flags: Mapping[str, object]) -> dict[str, Any]:
    known = {row.name: row for row in settings}
    return {
        name: read(known[name], value, f"--{name.replace('_', '-')}")
        for name, value in flags.items()
        if value is not None and name != "config"
    }


def read_variables(settings: Settings, environ: Mapping[str, str]) -> dict[str, Any]:
    known = {variable: row for row in settings for variable in row.variables}
    values: dict[str, Any] = {}
    source: dict[str, str] = {}
    for variable, written in sorted(environ.items()):
        if not is_ours(variable) or not written:
            continue
        row = known.get(variable) or unknown(f"The variable {variable}", variable, known)
        value = read(row, written, variable)
        if values.setdefault(row.name, value) != value:
            raise ConfigError(f"{source[row.name]} and {variable} contradict each other.")
        source[row.name] = variable
    return values


def is_ours(variable: str) -> bool:
    if variable == CONFIG_VARIABLE or variable.startswith(TEST_PREFIX):
        return False
    return variable.startswith(PREFIX)


def find_file(data: Path) -> Path | None:
    return next((path for path in (data / FILE_NAME, Path(FILE_NAME)) if path.exists()), None)


def read_file(settings: Settings, path: Path) -> dict[str, Any]:
    try:
        lines = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error
    return read_written(settings, lines, str(path))


def read_written(settings: Settings, lines: Mapping[str, object], where: str) -> dict[str, Any]:
    known = {row.name: row for row in settings}
    values: dict[str, Any] = {}
    for name, value in lines.items():
        if name in known:
            values[name] = read(known[name], value, f"{name} in {where}")
        elif name in TABLES:
            values[name] = read_tables(TABLES[name], value, where)
        else:
            unknown(f"{name} in {where}", name, [*known, *TABLES])
    return values


def read_tables(table: type[P], found: object, file: str) -> tuple[P, ...]:
    """Parse all tables of one kind; raises ConfigError."""
    listed = found if isinstance(found, list) else [found]
    made = []
    for number, lines in enumerate(listed, 1):
        if not isinstance(lines, dict):
            raise ConfigError(f"{table.TABLE} in {file} must be a table: [[{table.TABLE}]].")
        name = lines.get("name", f"number {number}")
        made.append(_read_table(table, lines, f"[[{table.TABLE}]] {name} in {file}"))
    _check_together(made, file)
    return tuple(made)


def _read_table(table: type[P], lines: Mapping[str, Any], where: str) -> P:
    known = {each.name: each for each in table.rows()}
    values = {}
    for name, value in lines.items():
        if name not in known:
            unknown(f"{name} of {where}", name, known)
        values[name] = read(known[name], value, f"{name} of {where}")
    for each in known.values():
        if each.is_needed and each.name not in values:
            raise ConfigError(f"{each.name} of {where} is missing: {each.help}")
    made = table(**values)
    try:
        made.check()
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}.") from None
    return made


def _check_together(made: Sequence[Provider], file: str) -> None:
    """Raise ConfigError if two tables of one kind have the same key."""
    for number, one in enumerate(made):
        for other in made[:number]:
            shared = not {*one.organizations} or not {*other.organizations}
            if one.key == other.key and (
                ":" in one.key or shared or {*one.organizations} & {*other.organizations}
            ):
                raise ConfigError(f"Two of [[{one.TABLE}]] in {file} are called {one.label}.")
