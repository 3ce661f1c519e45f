"""Custom profile fields in API format, and the events of the fields and their values."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import events
from tertulia.domain.people.profile_fields import TYPE_NAMES, ProfileField
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire

FIELD_TYPES = {kind.name: {"id": int(kind), "name": name} for kind, name in TYPE_NAMES.items()}


class FieldObject(msgspec.Struct, kw_only=True, frozen=True):
    id: int
    name: str
    type: int
    hint: str
    field_data: str
    order: int
    required: bool
    editable_by_user: bool
    display_in_profile_summary: bool | UnsetType = UNSET  # only if true
    use_for_user_matching: bool | UnsetType = UNSET


def field_object(field: ProfileField) -> FieldObject:
    return FieldObject(
        id=field.id,
        name=field.name,
        type=int(field.type),
        hint=field.hint,
        field_data=field.data,
        order=field.position,
        required=field.required,
        editable_by_user=field.editable_by_user,
        display_in_profile_summary=field.in_summary or UNSET,
        use_for_user_matching=field.for_matching or UNSET,
    )


class ProfileFieldsChanged(Event, frozen=True):
    """Profile fields or their order changed. It contains all fields.

    Values of deleted fields are gone and have no event of their own.
    """

    kind: ClassVar[str] = "profile_fields"
    types: ClassVar[tuple[str, ...]] = ("custom_profile_fields",)
    touches: ClassVar[Invalidated] = Invalidated(profile_fields=True)

    fields: list[FieldObject]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"fields": self.fields}


class ChangedValue(msgspec.Struct, frozen=True):
    id: int
    value: str | None  # None: deleted
    rendered_value: str | UnsetType = UNSET


class ProfileChanged(Event, frozen=True):
    """A user's profile changed. There is one wire event per field."""

    kind: ClassVar[str] = "profile"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    user_id: int
    values: list[ChangedValue]

    def touched(self) -> Invalidated:
        return Invalidated(profiles={self.user_id})

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        for value in self.values:
            yield events.types.people.user.person_updated(self.user_id, custom_profile_field=value)
