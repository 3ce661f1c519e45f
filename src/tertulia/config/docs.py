"""Generates `docs/settings.md` from the settings and the login provider tables."""

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

The server needs none of them to start. You can give each setting as a flag of `tertulia serve`, as
an environment variable, or as a line in `{FILE_NAME}`. A flag overrides a variable, and a variable
overrides the file.

The server reads the file named by `--config` or `{CONFIG_VARIABLE}`; otherwise `{FILE_NAME}` in the
data folder; otherwise `{FILE_NAME}` in the working directory. An example:

```toml
port = 8000
external_url = "https://chat.example.com"
trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]
```

An unknown variable that begins with `{PREFIX}` stops the server, so that you notice a typing error.
An empty variable counts as unset. (On Kubernetes, a service called `tertulia` creates such
variables in its pods: set `enableServiceLinks: false`.)

`make docs` generates this page.

| Flag, variable, line | Default | Value | What it does |
|---|---|---|---|
"""


TABLES_INTRODUCTION = f"""
## Login providers

You configure LDAP and single sign-on with tables in `{FILE_NAME}`. There may be several tables of
each kind. [Logging in](logging-in.md) has complete examples. Such a file contains secrets, so make
it readable for its owner only (`chmod 600`).
"""


def tables_markdown() -> str:
    return "".join(map(_table_markdown, TABLES.values()))


def _table_markdown(table: type[Provider]) -> str:
    lines = [f"\n### `[[{table.TABLE}]]`\n\n{table.MEANING}\n\n{_HEADINGS}"]
    for each in table.rows():
        lines.append(
            f"| `{each.name}` | {each.shown_default} | {each.kind.must_be} | {each.help} |\n"
        )
    return "".join(lines)


_HEADINGS = "| Line | Default | Value | What it does |\n|---|---|---|---|\n"
