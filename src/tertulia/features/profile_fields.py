"""Custom profile fields, which administrators manage.

The core reads fields and values from `storage/people/profile_fields.py`; users and external logins
change values by `actions/people/profiles.py`.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.external_accounts import EXTERNAL_ACCOUNTS
from tertulia.domain.people.profile_fields import (
    TYPE_NAMES,
    FieldType,
    ProfileField,
)
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import TooMany
from tertulia.errors.people import ProfileFieldNotFound
from tertulia.events.audience import Everyone
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.register_parts import View
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.types.event import Event
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import Example, MaxItems, MaxLength, NoNul, Stripped
from tertulia.http.replies import Reply
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import FieldId, ListPosition


def insert(tx: Tx, field: ProfileField) -> int:
    """After all others, regardless of the position."""
    field_id = tx.insert_with_id(
        "profile_field", field_type=int(field.type), position=0, **_columns(field)
    )
    # A new field is last: its id is larger than any position that was set.
    tx.execute("UPDATE profile_field SET position = id WHERE id = :id", id=field_id)
    return field_id


def _delete(tx: Tx, field_id: int) -> None:
    """Delete a field and all its values."""
    here = {"field": field_id, "realm": tx.realm_id}
    tx.execute("DELETE FROM profile_value WHERE field_id = :field AND realm_id = :realm", **here)
    tx.execute("DELETE FROM profile_field WHERE id = :field AND realm_id = :realm", **here)


def _columns(field: ProfileField) -> dict[str, Any]:
    """What may change."""
    fixed = ("id", "type", "position")
    return {name: value for name, value in asdict(field).items() if name not in fixed}


# --- event ---


DisplayInProfileSummary = Annotated[bool, Doc("Whether the field is shown in the profile summary.")]
Required = Annotated[bool, Doc("Whether users are asked to fill in the field.")]
UseForUserMatching = Annotated[bool, Doc("Whether users can be found by this field.")]
EditableByUser = Annotated[bool, Doc("Whether users may change their own value of the field.")]
FieldTypeNumber = Annotated[int, Doc("The type of the field, by number.", example=1)]


class FieldTypeObject(msgspec.Struct):
    id: Annotated[int, Doc("The number of the type.")]
    name: Annotated[str, Doc("The name of the type.")]


FIELD_TYPES = {kind.name: FieldTypeObject(int(kind), name) for kind, name in TYPE_NAMES.items()}


class FieldObject(msgspec.Struct, kw_only=True, frozen=True):
    id: FieldId
    name: Annotated[str, Doc("The name of the field.")]
    type: FieldTypeNumber
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


class ProfileFieldsChanged(Event, frozen=True, kind="profile_fields"):
    """Profile fields or their order changed. It contains all fields.

    Values of deleted fields are gone and have no event of their own.
    """

    touches: ClassVar[Invalidated] = Invalidated(profile_fields=True)

    fields: list[FieldObject]

    class Wire(WireEvent, tag="custom_profile_fields"):
        fields: Annotated[list[FieldObject], Doc("The profile fields, in their order.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.fields)


# --- actions ---


class FieldChanges(msgspec.Struct, frozen=True):
    """The requested changes of a field; None keeps a value."""

    name: str | None = None
    hint: str | None = None
    data: dict[str, Any] | None = None
    in_summary: bool | None = None
    required: bool | None = None
    editable_by_user: bool | None = None
    for_matching: bool | None = None


def add(tx: Tx, user: User, field_type: int, wanted: FieldChanges) -> int:
    actions.groups.permissions.require_administrator(tx, user)
    known = storage.people.profile_fields.list_all(tx)
    if len(known) >= domain.limits.MAX_PROFILE_FIELDS:
        raise TooMany("custom profile fields", domain.limits.MAX_PROFILE_FIELDS)
    kind = domain.people.profile_fields.checked_type(field_type)
    wanted = replace(wanted, data=wanted.data or {})
    field = _named_after_site(_changed(ProfileField(id=0, type=kind, name=""), wanted))
    _check(field, known)

    field_id = insert(tx, field)
    _announce(tx)
    return field_id


def change(tx: Tx, user: User, field_id: int, changes: FieldChanges) -> None:
    """Apply the given changes. Values that are no longer valid choices are deleted."""
    actions.groups.permissions.require_administrator(tx, user)
    known = storage.people.profile_fields.list_all(tx)
    before = _find(known, field_id)
    field = _changed(before, changes)
    if field == before:
        return
    _check(field, [each for each in known if each.id != field_id])

    tx.update("profile_field", field.id, **_columns(field))
    _announce(tx)
    if field.type != FieldType.DROPDOWN:
        return
    choices = domain.people.profile_fields.choices
    gone = sorted(choices(before) - choices(field))
    for user_id in tx.column(
        "SELECT user_id FROM profile_value WHERE field_id = :field AND realm_id = :realm"
        " AND value IN :gone ORDER BY user_id",
        field=field_id,
        gone=gone,
    ):
        actions.people.profiles.delete(tx, user_id, field_id)


def remove(tx: Tx, user: User, field_id: int) -> None:
    """Delete a field with its values."""
    actions.groups.permissions.require_administrator(tx, user)
    _find(storage.people.profile_fields.list_all(tx), field_id)
    _delete(tx, field_id)
    _announce(tx)


def set_order(tx: Tx, user: User, order: list[int]) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    known = [field.id for field in storage.people.profile_fields.list_all(tx)]
    if sorted(order) != sorted(known):
        raise BadRequest("Invalid order mapping.", problem="invalid-order")
    for position, field_id in enumerate(order):
        tx.update("profile_field", field_id, position=position)
    _announce(tx)


def _find(known: Sequence[ProfileField], field_id: int) -> ProfileField:
    for field in known:
        if field.id == field_id:
            return field
    raise ProfileFieldNotFound(field_id=field_id)


def _changed(field: ProfileField, changes: FieldChanges) -> ProfileField:
    def given(wanted: Any, present: Any) -> Any:
        return present if wanted is None else wanted

    data = (
        field.data
        if changes.data is None
        else domain.people.profile_fields.checked_data(field.type, changes.data)
    )
    return replace(
        field,
        name=given(changes.name, field.name),
        hint=given(changes.hint, field.hint),
        data=data,
        in_summary=given(changes.in_summary, field.in_summary),
        required=given(changes.required, field.required),
        editable_by_user=given(changes.editable_by_user, field.editable_by_user),
        for_matching=given(changes.for_matching, field.for_matching),
    )


def _named_after_site(field: ProfileField) -> ProfileField:
    """A field for an external account is named after its site by default."""
    account_site = EXTERNAL_ACCOUNTS.get(domain.people.profile_fields.account_site(field))
    if field.name or account_site is None:
        return field
    return replace(field, name=account_site.name, hint=field.hint or account_site.hint)


def _check(field: ProfileField, others: Sequence[ProfileField]) -> None:
    domain.people.profile_fields.check_texts(field.name, field.hint)
    if any(other.name == field.name for other in others):
        raise BadRequest("A field with that label already exists.", problem="field-label-taken")
    shown = sum(other.in_summary for other in others)
    if field.in_summary and shown >= domain.limits.MAX_PROFILE_FIELDS_IN_SUMMARY:
        raise BadRequest(
            "Only {limit} custom profile fields can be displayed in the profile summary.",
            problem="too-many-fields-in-summary",
            limit=domain.limits.MAX_PROFILE_FIELDS_IN_SUMMARY,
        )


def _announce(tx: Tx) -> None:
    fields = [field_object(field) for field in storage.people.profile_fields.list_all(tx)]
    events.log.announce(tx, ProfileFieldsChanged(fields), to=Everyone())


# --- endpoints ---


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


class Fields(Reply):
    custom_fields: Annotated[list[FieldObject], Doc("The profile fields, in their order.")]


class NewField(Reply):
    id: FieldId


async def list_fields(call: Call) -> Fields:
    """List the custom profile fields, in order."""
    return Fields([field_object(field) for field in call.org.profiles.fields.values()])


async def create(
    call: Call,
    *,
    name: Annotated[Label, Example("Favorite soup")] = "",
    hint: Hint = "",
    field_type: FieldTypeNumber,
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
    field_id = await call.db.write(add, call.user, field_type, wanted)
    return NewField(field_id)


async def edit(
    call: Call,
    field_id: FieldId,
    *,
    name: Annotated[Label | None, Example("Pets")] = None,
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
    await call.db.write(change, call.user, field_id, changes)


async def delete(call: Call, field_id: FieldId) -> None:
    """Delete a custom profile field with all its values."""
    await call.db.write(remove, call.user, field_id)


async def reorder(
    call: Call, *, order: Annotated[Ids, Doc("The ids in the new order.", example=[2])]
) -> None:
    """Reorder the custom profile fields."""
    await call.db.write(set_order, call.user, order)


# --- the register ---


class ProfileFieldsState(StatePart):
    custom_profile_fields: Annotated[list[FieldObject], Doc("The profile fields, in their order.")]
    custom_profile_field_types: Annotated[
        dict[str, FieldTypeObject], Doc("The types of profile fields.")
    ]


def _state(view: View) -> ProfileFieldsState:
    """A spectator sees no values, so the fields are left out too."""
    known = [] if view.me.is_spectator else view.org.profiles.fields.values()
    return ProfileFieldsState([field_object(field) for field in known], FIELD_TYPES)


FEATURE = Feature(
    state={"custom_profile_fields": _state}, audit={"content": ["% /realm/profile_fields%"]}
)
