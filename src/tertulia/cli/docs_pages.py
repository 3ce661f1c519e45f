"""The pages of `docs/` that are lists: of endpoints, and of what can be set."""

import sys

from tertulia.api.routes import ROUTES
from tertulia.domain.organization.settings import SETTINGS, OrganizationSetting, PeopleNamed
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import Adjustable
from tertulia.http.routing import Route


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

PAGES = {
    "endpoints": endpoints_page,
    "organization-settings": organization_page,
    "personal-settings": personal_page,
}

if __name__ == "__main__":
    print(PAGES[sys.argv[1]](), end="")
