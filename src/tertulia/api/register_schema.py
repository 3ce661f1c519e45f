"""The state that `POST /register` returns, and settings, in the API description.

A part of the state is a struct (`StatePart`) or a list that says its type (`ListedPart`). Settings
take type and sentence from their rows.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.domain.groups.group import GroupValue
from tertulia.domain.organization.settings import SETTINGS, LoginMethods, PeopleNamed
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import (
    Adjustable,
    ChannelId,
    ChosenFrom,
    DailyHours,
    FreeText,
    Language,
    Limit,
    ServerUrl,
    Switch,
    ValueKind,
    Whole,
)
from tertulia.events.snapshot.lists import LISTS
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.types.people.user import Timezone
from tertulia.http.openapi import REFERENCE
from tertulia.wire import Doc

Types = dict[str, Any]  # of fields, by name


class LoginMethodObject(msgspec.Struct):
    enabled: Annotated[bool, Doc("Whether users can log in with it.")]
    available: Annotated[bool, Doc("Always true here.")]


class EmojisetChoice(msgspec.Struct):
    key: Annotated[str, Doc("The value of `emojiset`.")]
    text: Annotated[str, Doc("Its name.")]


# What changes with settings, and what the settings of a user come with.
_WITH_SETTINGS: Types = {
    "rendered_description": Annotated[str, Doc("The description as HTML.")],
    "mandatory_topics": Annotated[bool, Doc("Whether messages need a topic.")],
    "icon_url": Annotated[str, Doc("The URL of the icon.")],
    "icon_source": Annotated[str, Doc("The source of the icon: `G` generated, `U` uploaded.")],
    "logo_url": Annotated[str, Doc("The URL of the logo.")],
    "logo_source": Annotated[str, Doc("The source of the logo: `D` default, `U` uploaded.")],
    "night_logo_url": Annotated[str, Doc("The URL of the dark logo.")],
    "night_logo_source": Annotated[
        str, Doc("The source of the dark logo: `D` default, `U` uploaded.")
    ],
}
_WITH_PREFERENCES: Types = {
    "timezone": Timezone,
    "emojiset_choices": Annotated[
        list[EmojisetChoice], Doc("The values of `emojiset` and their names.")
    ],
    "available_notification_sounds": Annotated[
        list[str], Doc("The values of `notification_sound`.")
    ],
}


def schemas() -> dict[str, dict[str, Any]]:
    """The settings of an organization, as in an event, those of a user, the fields of the state,
    and the objects in them."""
    realm_settings = _types_of(SETTINGS.values())
    preferences = _types_of(PREFERENCES.values())
    state: dict[str, Any] = {}
    for part in StatePart.__subclasses__():
        state |= {each.name: each.type for each in msgspec.structs.fields(part)}
    state |= {name: part.wire_type for name, part in LISTS.items()}
    # Compat: clients without `user_settings_object` may ask for their settings at the top level.
    at_top = preferences | {f"realm_{name}": each for name, each in realm_settings.items()}
    at_top["realm_mandatory_topics"] = _WITH_SETTINGS["mandatory_topics"]
    structs = [
        _struct("RealmSettings", realm_settings | _WITH_SETTINGS),
        _struct("UserSettings", preferences | _WITH_PREFERENCES),
        _struct("Registered", dict(sorted((at_top | state).items()))),
    ]
    _, found = msgspec.json.schema_components(structs, ref_template=REFERENCE)
    del found["Registered"]["required"]
    return found


def _struct(name: str, types: Types) -> type[msgspec.Struct]:
    """All fields are optional."""
    return msgspec.defstruct(
        name, [(field, each | UnsetType, UNSET) for field, each in types.items()]
    )


def _types_of(settings: Iterable[Adjustable]) -> dict[str, Any]:
    return {
        each.name: Annotated[_TYPES[type(each.kind)](each.kind), Doc(each.meaning)]
        for each in settings
    }


# The wire type of a setting, by the kind of its value.
_TYPES: dict[type[ValueKind], Callable[[Any], Any]] = {
    Switch: lambda kind: bool,
    ChosenFrom: lambda kind: Annotated[
        kind.type, msgspec.Meta(extra_json_schema={"enum": list(kind.values)})
    ],
    Language: lambda kind: str,
    Whole: lambda kind: int,
    Limit: lambda kind: int | None,
    FreeText: lambda kind: str,
    ServerUrl: lambda kind: str | None,
    DailyHours: lambda kind: str,
    ChannelId: lambda kind: int,
    LoginMethods: lambda kind: dict[str, LoginMethodObject],
    PeopleNamed: lambda kind: GroupValue,
}
