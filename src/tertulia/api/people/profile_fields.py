"""Custom profile fields: their definitions, and the caller's values."""

from typing import Annotated, Any

import msgspec

from tertulia import actions, domain, events
from tertulia.actions.people.profile_fields import FieldChanges
from tertulia.actions.people.profiles import FieldChange
from tertulia.api.call import Call
from tertulia.domain.people.profile_fields import RENDERED
from tertulia.errors.people import ProfileFieldNotFound
from tertulia.events.types.people.profile_fields import (
    DisplayInProfileSummary,
    EditableByUser,
    FieldObject,
    FieldType,
    Required,
    UseForUserMatching,
)
from tertulia.http.parameter_rules import MaxItems, MaxLength, NoNul, Stripped
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import FieldId

Label = Annotated[
    str, Stripped(), MaxLength(domain.limits.MAX_PROFILE_LABEL_LENGTH), NoNul(), Doc("The name.")
]
Hint = Annotated[
    str,
    MaxLength(domain.limits.MAX_PROFILE_HINT_LENGTH),
    NoNul(),
    Doc("A short help text for the field."),
]
Ids = Annotated[list[int], MaxItems(2 * domain.limits.MAX_PROFILE_FIELDS)]
FieldData = Annotated[
    dict[str, Any], Doc("The options of a list field, or the site of an external account.")
]


class FieldValueParameter(msgspec.Struct):
    id: int
    value: str | list[Any] | None


GivenValues = Annotated[
    list[FieldValueParameter],
    MaxItems(2 * domain.limits.MAX_PROFILE_FIELDS),
    Doc("The values of profile fields, or the ids of fields to clear."),
]


class Fields(Reply):
    custom_fields: Annotated[list[FieldObject], Doc("The profile fields, in their order.")]


class NewField(Reply):
    id: FieldId


async def list_fields(call: Call) -> Fields:
    """List the custom profile fields, in order."""
    return Fields(
        [
            events.types.people.profile_fields.field_object(field)
            for field in call.org.profile_fields.values()
        ]
    )


async def create(
    call: Call,
    *,
    name: Label = "",
    hint: Hint = "",
    field_type: FieldType,
    field_data: FieldData | None = None,
    display_in_profile_summary: DisplayInProfileSummary = False,
    required: Required = False,
    editable_by_user: EditableByUser = True,
    use_for_user_matching: UseForUserMatching = False,
) -> NewField:
    """Create a custom profile field."""
    wanted = FieldChanges(
        name,
        hint,
        field_data,
        display_in_profile_summary,
        required,
        editable_by_user,
        use_for_user_matching,
    )
    field_id = await call.db.write(
        actions.people.profile_fields.create, call.user, field_type, wanted
    )
    return NewField(field_id)


async def edit(
    call: Call,
    field_id: FieldId,
    *,
    name: Label | None = None,
    hint: Hint | None = None,
    field_data: FieldData | None = None,
    display_in_profile_summary: DisplayInProfileSummary | None = None,
    required: Required | None = None,
    editable_by_user: EditableByUser | None = None,
    use_for_user_matching: UseForUserMatching | None = None,
) -> None:
    """Change a custom profile field, except its type."""
    changes = FieldChanges(
        name,
        hint,
        field_data,
        display_in_profile_summary,
        required,
        editable_by_user,
        use_for_user_matching,
    )
    await call.db.write(actions.people.profile_fields.edit, call.user, field_id, changes)


async def delete(call: Call, field_id: FieldId) -> None:
    """Delete a custom profile field with all its values."""
    await call.db.write(actions.people.profile_fields.delete, call.user, field_id)


async def reorder(
    call: Call, *, order: Annotated[Ids, Doc("The ids in the new order.", example=[2])]
) -> None:
    """Reorder the custom profile fields."""
    await call.db.write(actions.people.profile_fields.reorder, call.user, order)


async def fill_in(call: Call, *, data: GivenValues) -> None:
    """Set the caller's profile fields."""
    values = await composed(call, data)
    await call.db.write(actions.people.profiles.change, call.user, call.user.id, values)


async def empty(
    call: Call,
    *,
    data: Annotated[Ids, Doc("The values of profile fields, or the ids of fields to clear.")],
) -> None:
    """Clear the caller's profile fields."""
    values = [FieldChange(field_id, None) for field_id in data]
    await call.db.write(actions.people.profiles.change, call.user, call.user.id, values)


async def composed(call: Call, given: list[FieldValueParameter]) -> list[FieldChange]:
    """Values ready to be stored: texts are rendered here, before the transaction."""
    found = []
    for each in given:
        field = call.org.profile_fields.get(each.id)
        if field is None:
            raise ProfileFieldNotFound(field_id=each.id)
        rendered = None
        if each.value is not None:
            text = domain.people.profile_fields.checked_value(field, each.value)
            rendered = (
                await actions.messages.draft.describe(call.author, text)
                if field.type in RENDERED
                else None
            )
        found.append(FieldChange(each.id, each.value, rendered))
    return found
