"""`docs/settings.md`, drawn from the settings and their tables."""

from tertulia.config.login_provider import Provider
from tertulia.config.login_providers import TABLES
from tertulia.config.parsers import PREFIX, Setting
from tertulia.config.settings import SETTINGS
from tertulia.config.sources import CONFIG_VARIABLE, FILE_NAME


def settings_markdown() -> str:
    """The text of `docs/settings.md`."""
    rows = "".join(map(table_row, SETTINGS))
    return f"{INTRODUCTION}{rows}{TABLES_INTRODUCTION}{tables_markdown()}"


def table_row(row: Setting) -> str:
    forms = "<br>".join(f"`{form}`" for form in [*row.flags[:1], *row.variables, row.name])
    return f"| {forms} | {row.shown_default} | {row.kind.must_be} | {row.help} |\n"


INTRODUCTION = f"""\
# Settings

The server starts well with none of them. Each setting can be given as a flag of
`tertulia serve`, as an environment variable, or as a line in `{FILE_NAME}`; a flag wins over a
variable, and a variable over the file.

The file is the one named by `--config` or `{CONFIG_VARIABLE}`; otherwise `{FILE_NAME}` in the
data folder; otherwise `{FILE_NAME}` in the working directory. It looks like this:

```toml
port = 8000
external_url = "https://chat.example.com"
trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]
```

A variable that begins with `{PREFIX}` and is none of these stops the server, so that a slip of
the pen is noticed; an empty one counts as absent. (On Kubernetes, a service called `tertulia`
makes such variables for its pods: set `enableServiceLinks: false`.)

This page is written by `make docs`.

| Flag, variable, line | Default | Value | What it does |
|---|---|---|---|
"""


TABLES_INTRODUCTION = f"""
# Tables

Who vouches for people is said in tables of `{FILE_NAME}`, of which there may be several of a kind;
[Logging in](logging-in.md) shows whole examples. The file holds secrets then: keep it to yourself
(`chmod 600`).
"""


def tables_markdown() -> str:
    return "".join(map(_table_markdown, TABLES.values()))


def _table_markdown(table: type[Provider]) -> str:
    lines = [f"\n## `[[{table.TABLE}]]`\n\n{table.MEANING}\n\n{_HEADINGS}"]
    for each in table.rows():
        lines.append(
            f"| `{each.name}` | {each.shown_default} | {each.kind.must_be} | {each.help} |\n"
        )
    return "".join(lines)


_HEADINGS = "| Line | Default | Value | What it does |\n|---|---|---|---|\n"
