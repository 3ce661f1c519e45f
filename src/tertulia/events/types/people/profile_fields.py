"""Custom profile fields in API format, and the events of the fields and their values."""

from collections.abc import Iterable
from typing import Annotated, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import events
from tertulia.domain.people.profile_fields import TYPE_NAMES, ProfileField
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.events.types.people.user import ChangedValue, PersonUpdate
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import FieldId, ListPosition

DisplayInProfileSummary = Annotated[bool, Doc("Whether the field is shown in the profile summary.")]
Required = Annotated[bool, Doc("Whether users are asked to fill in the field.")]
UseForUserMatching = Annotated[bool, Doc("Whether users can be found by this field.")]
EditableByUser = Annotated[bool, Doc("Whether users may change their own value of the field.")]
FieldType = Annotated[int, Doc("The type of the field, by number.", example=1)]


class FieldTypeObject(msgspec.Struct):
    id: Annotated[int, Doc("The number of the type.")]
    name: Annotated[str, Doc("The name of the type.")]


FIELD_TYPES = {kind.name: FieldTypeObject(int(kind), name) for kind, name in TYPE_NAMES.items()}


class FieldObject(msgspec.Struct, kw_only=True, frozen=True):
    id: FieldId
    name: Annotated[str, Doc("The name of the field.")]
    type: FieldType
    hint: Annotated[str, Doc("A short help text for the field.")]
    field_data: Annotated[
        str, Doc("The options of a list field, or the site of an external account.")
    ]
    order: ListPosition
    required: Required
    editable_by_user: EditableByUser
    display_in_profile_summary: DisplayInProfileSummary | UnsetType = UNSET  # only if true
    use_for_user_matching: UseForUserMatching | UnsetType = UNSET


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
    touches: ClassVar[Invalidated] = Invalidated(profile_fields=True)

    fields: list[FieldObject]

    class Wire(WireEvent, tag="custom_profile_fields"):
        fields: Annotated[list[FieldObject], Doc("The profile fields, in their order.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.fields)


class ProfileChanged(Event, frozen=True):
    """A user's profile changed. There is one wire event per field."""

    kind: ClassVar[str] = "profile"
    wires = (PersonUpdate,)

    user_id: int
    values: list[ChangedValue]

    def touched(self) -> Invalidated:
        return Invalidated(profiles={self.user_id})

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        for value in self.values:
            yield events.types.people.user.person_updated(self.user_id, custom_profile_field=value)
