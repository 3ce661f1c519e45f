"""The pages of `docs/` that are lists: endpoints, settings, log events."""

import sys

from tertulia.api.routes import ROUTES
from tertulia.domain.organization.settings import SETTINGS, OrganizationSetting, PeopleNamed
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import Adjustable
from tertulia.http.routing import Route
from tertulia.server.log_events import AREAS, LOG_EVENTS, LogEvent


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
    events = [each for each in LOG_EVENTS if each.name.startswith(f"{area}.")]
    return _LOG_AREA.format(title=title, events="".join(map(_log_event, events)))


def _log_event(event: LogEvent) -> str:
    fields = ", ".join(f"`{each}`" for each in event.fields.split())
    return f"| `{event.name}` | {event.level} | {fields} | {event.meaning} | {event.response} |\n"


_ENDPOINTS = """\
# Endpoints

All of them are under `/api/v1`; [api.md](api.md) says what they have in common. Their parameters
and answers are described at `/api/v1/openapi.json` of a running server.

This page is written by `make docs`.

| Endpoint | |
|---|---|
{endpoints}"""

_ORGANIZATION = """\
# Settings of an organization

Each organization has its own. Its administrators change them with a client, which sends
`PATCH /realm`; some are for owners alone. Whoever runs the server can change them all:

```sh
tertulia org settings                               # lists them, with what they are now
tertulia org set message_retention_days 90
tertulia org set can_create_public_channel_group role:moderators
```

Both ways follow the same rules, and everybody who is connected hears of a change at once. In
`/register` each stands under its name with `realm_` before it. Where it says "told to clients",
the server keeps the value and leaves what to do with it to them.

This page is written by `make docs`.

| Setting | Default | It must be | What it does | Changed by |
|---|---|---|---|---|
{settings}
## Permissions

Their value is a group of users: on the command line its name, such as `role:members`, in the API
its id. In the API it may also be people and groups named in place.

| Permission | Default | What it is for | Changed by |
|---|---|---|---|
{permissions}"""

_PERSONAL = """\
# Personal settings

Everybody has their own and changes them with a client, which sends `PATCH /settings`. What new
people of an organization start with is for its administrators to say, with
`PATCH /realm/user_settings_defaults`. Nearly all of them are for clients to act on.

This page is written by `make docs`.

| Setting | Default | It must be | What it does |
|---|---|---|---|
{settings}"""

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
    "organization-settings": organization_page,
    "personal-settings": personal_page,
    "logs": logs_page,
}

if __name__ == "__main__":
    print(PAGES[sys.argv[1]](), end="")
