"""Generates the reference pages of `docs/`: endpoints, settings, log events."""

import sys

from tertulia.api.routes import ROUTES
from tertulia.domain.organization.settings import SETTINGS, OrganizationSetting, PeopleNamed
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import Adjustable
from tertulia.errors.codes import error_codes
from tertulia.http.routing import Route
from tertulia.server.log_events import AREAS, LogEvent, log_events


def endpoints_page() -> str:
    return _ENDPOINTS.format(endpoints="".join(f"| {_endpoint(each)} |\n" for each in ROUTES))


def organization_page() -> str:
    plain = [each for each in SETTINGS.values() if not isinstance(each.kind, PeopleNamed)]
    permissions = [each for each in SETTINGS.values() if isinstance(each.kind, PeopleNamed)]
    return _ORGANIZATION.format(
        settings="".join(f"| {_row(each)} | {_who(each)} |\n" for each in plain),
        permissions="".join(
            f"| `{each.name}` | {_default(each)} | {each.meaning} | {_who(each)} |\n"
            for each in permissions
        ),
    )


def personal_page() -> str:
    return _PERSONAL.format(
        settings="".join(f"| {_row(each)} |\n" for each in PREFERENCES.values())
    )


def errors_page() -> str:
    return _ERRORS + "".join(
        f"\n## {code}\n\n{each.cause}\n\n{each.cure}\n" for code, each in error_codes().items()
    )


def logs_page() -> str:
    return _LOGS + "".join(_log_area(area, title) for area, title in AREAS.items())


def _endpoint(route: Route) -> str:
    path, summary = route.path.replace(":path}", "}"), route.summary
    return f"`{route.method} {path}` | {summary[0].lower()}{summary[1:]}"


def _row(setting: Adjustable) -> str:
    must_be = setting.kind.must_be
    return f"`{setting.name}` | {_default(setting)} | {must_be} | {setting.meaning}"


def _default(setting: Adjustable) -> str:
    written = setting.kind.written(setting.default)
    return f"`{written}`" if written else "empty"


def _who(setting: OrganizationSetting) -> str:
    return "owners" if setting.owners_only else "administrators"


def _log_area(area: str, title: str) -> str:
    events = [each for each in log_events().values() if each.name.startswith(f"{area}.")]
    return _LOG_AREA.format(title=title, events="".join(map(_log_event, events)))


def _log_event(event: LogEvent) -> str:
    fields = ", ".join(f"`{each}`" for each in event.fields.split())
    return f"| `{event.name}` | {event.level} | {fields} | {event.meaning} | {event.response} |\n"


_ENDPOINTS = """\
# Endpoints

All endpoints are under `/api/v1`. [api.md](api.md) has the conventions. A running server describes
parameters and responses at `/api/v1/openapi.json`, and shows them with examples at `/api`.

`make docs` generates this page.

| Endpoint | What it does |
|---|---|
{endpoints}"""

_ORGANIZATION = """\
# Settings of an organization

Administrators change them in a client (`PATCH /realm`); some only owners can change. Operators can
change all of them:

```sh
tertulia org settings                               # lists all settings with their values
tertulia org set message_retention_days 90
tertulia org set can_create_public_channel_group role:moderators
```

Clients receive a change at once. In the `/register` response each name begins with `realm_`. "Only
for clients" means that the server stores the value and does not use it.

`make docs` generates this page.

| Setting | Default | Value | What it does | Changed by |
|---|---|---|---|---|
{settings}
## Permissions

The value is a user group: its name on the command line, such as `role:members`, and its id in the
API. In the API it can also be an object with users and groups.

| Permission | Default | What it does | Changed by |
|---|---|---|---|
{permissions}"""

_PERSONAL = """\
# Personal settings

Each user changes them in a client (`PATCH /settings`). Administrators set the defaults for new
users with `PATCH /realm/user_settings_defaults`. Most of them are for clients: the server only
stores them.

`make docs` generates this page.

| Setting | Default | Value | What it does |
|---|---|---|---|
{settings}"""

_ERRORS = """\
# Errors

Every error is `{"result": "error", "msg": "…", "code": "…"}`. `code` tells the kind of the error
and is stable; `msg` has the details. This page has the cause and the cure of each code; a running
server shows it at `/api#errors`, and each code at `/api#CODE`.

`make docs` generates this page.
"""

_LOGS = """\
# Log events

The server writes its log to stderr, one line for each event. Every line has a name and fields:

```
2026-03-01T08:30:00Z [warning] sso.provider_unavailable provider=corp status=503
```

With `log_format = "json"` each line is a JSON object; the name is in `event`. Names are stable, so
you can alert on them: a changed name is announced in the changelog. `log_level` sets the lowest
level that is logged.

Every line also has `timestamp` and `level`, and `worker` if there are several worker processes.
These fields have the same meaning everywhere:

| Field | Meaning |
|---|---|
| `error` | the type of an exception |
| `trace` | the last lines of code that the exception passed through |
| `reason` | what went wrong, in words |
| `realm_id`, `user_id`, … | the id of an organization, a user, … |
| `…_s`, `…_ms`, `…_bytes` | seconds, milliseconds, bytes |

A line never contains the text of a message, a name of a channel or topic, a key or a password. For
the same reason it has the type of an exception and not its text.

This page is written by `make docs`.
"""

_LOG_AREA = """
## {title}

| Event | Level | Fields | Meaning | What to do |
|---|---|---|---|---|
{events}"""

PAGES = {
    "endpoints": endpoints_page,
    "errors": errors_page,
    "organization-settings": organization_page,
    "personal-settings": personal_page,
    "logs": logs_page,
}

if __name__ == "__main__":
    print(PAGES[sys.argv[1]](), end="")
