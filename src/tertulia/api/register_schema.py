"""The register state in the API description: a sentence and a type for each part.

Settings take both from the tables of settings. All other parts have two lines in `state.txt`; the
second one is a type (`type_language.py`).
"""

from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from tertulia.api.type_language import Schema, object_schema, schema
from tertulia.domain.groups.group import REALM_PERMISSIONS
from tertulia.domain.organization.settings import SETTINGS, LoginMethods, PeopleNamed
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import (
    Adjustable,
    ChannelId,
    ChosenFrom,
    FreeText,
    Language,
    Limit,
    ServerUrl,
    Switch,
    ValueKind,
    Whole,
)

# What changes with settings, and what the settings of a user come with.
_WITH_SETTINGS = {
    "rendered_description": "string",
    "mandatory_topics": "boolean",
    "icon_url": "string",
    "icon_source": "string",
    "logo_url": "string",
    "logo_source": "string",
    "night_logo_url": "string",
    "night_logo_source": "string",
}
_WITH_PREFERENCES = {
    "timezone": "string",
    "emojiset_choices": "[{key: string, text: string}]",
    "available_notification_sounds": "[string]",
}
PERMISSION = "integer | {direct_members: [integer], direct_subgroups: [integer]}"


def parts() -> dict[str, Schema]:
    """The description of each part of the state."""
    text = (resources.files("tertulia.api") / "state.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    others = {}
    for line, kind in zip(lines[::2], lines[1::2], strict=True):
        name, _, words = line.partition(": ")
        others[name] = {"description": words} | schema(kind)
    settings = {f"realm_{name}": each for name, each in _realm_settings().items()}
    # Compat: clients without `user_settings_object` may ask for their settings at the top level.
    return dict(sorted((_described(PREFERENCES) | settings | others).items()))


def settings() -> dict[str, Schema]:
    """The settings of an organization, as in an event, and those of a user."""
    besides = {name: schema(kind) for name, kind in _WITH_SETTINGS.items()}
    lists = {name: schema(kind) for name, kind in _WITH_PREFERENCES.items()}
    return {
        "RealmSettings": _optional(_realm_settings() | besides),
        "UserSettings": _optional(_described(PREFERENCES) | lists),
    }


def _realm_settings() -> dict[str, Schema]:
    permissions = {
        name: {"description": each.meaning} | schema(PERMISSION)
        for name, each in REALM_PERMISSIONS.items()
    }
    return _described(SETTINGS) | permissions


def _described(settings: Mapping[str, Adjustable]) -> dict[str, Schema]:
    return {
        name: {"description": each.meaning} | _of_kind(each.kind) for name, each in settings.items()
    }


def _optional(fields: dict[str, Schema]) -> Schema:
    return object_schema({name: (each, False) for name, each in fields.items()})


# The wire type of a setting, by the kind of its value.
_SCHEMAS: dict[type[ValueKind], Callable[[Any], Schema]] = {
    Switch: lambda kind: schema("boolean"),
    ChosenFrom: lambda kind: {"enum": list(kind.values)},
    Language: lambda kind: schema("string"),
    Whole: lambda kind: schema("integer"),
    Limit: lambda kind: schema("integer | null"),
    FreeText: lambda kind: schema("string"),
    ServerUrl: lambda kind: schema("string | null"),
    ChannelId: lambda kind: schema("integer"),
    LoginMethods: lambda kind: schema("{*: {enabled: boolean, available: boolean}}"),
    PeopleNamed: lambda kind: schema(PERMISSION),
}


def _of_kind(kind: ValueKind) -> Schema:
    return _SCHEMAS[type(kind)](kind)
