"""Custom profile fields, which administrators manage."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.external_accounts import EXTERNAL_ACCOUNTS
from tertulia.domain.people.profile_fields import FieldType, ProfileField
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.people import ProfileFieldNotFound
from tertulia.events.audience import Everyone
from tertulia.events.types.people.profile_fields import ProfileFieldsChanged


class FieldChanges(msgspec.Struct, frozen=True):
    """The requested changes of a field; None keeps a value."""

    name: str | None = None
    hint: str | None = None
    data: dict[str, Any] | None = None
    in_summary: bool | None = None
    required: bool | None = None
    editable_by_user: bool | None = None
    for_matching: bool | None = None


def create(tx: Tx, user: User, field_type: int, wanted: FieldChanges) -> int:
    actions.groups.permissions.require_administrator(tx, user)
    known = storage.people.profile_fields.list_all(tx)
    if len(known) >= domain.limits.MAX_PROFILE_FIELDS:
        raise BadRequest(
            "Too many custom profile fields (limit: {limit})",
            problem="too-many",
            limit=domain.limits.MAX_PROFILE_FIELDS,
        )
    kind = domain.people.profile_fields.checked_type(field_type)
    wanted = replace(wanted, data=wanted.data or {})
    field = _named_after_site(_changed(ProfileField(id=0, type=kind, name=""), wanted))
    _check(field, known)

    field_id = storage.people.profile_fields.insert(tx, field)
    _announce(tx)
    return field_id


def edit(tx: Tx, user: User, field_id: int, changes: FieldChanges) -> None:
    """Apply the given changes. Values that are no longer valid choices are deleted."""
    actions.groups.permissions.require_administrator(tx, user)
    known = storage.people.profile_fields.list_all(tx)
    before = _find(known, field_id)
    field = _changed(before, changes)
    if field == before:
        return
    _check(field, [each for each in known if each.id != field_id])

    storage.people.profile_fields.update(tx, field)
    _announce(tx)
    gone = (
        sorted(
            domain.people.profile_fields.choices(before)
            - domain.people.profile_fields.choices(field)
        )
        if field.type == FieldType.DROPDOWN
        else []
    )
    if gone:
        for user_id in storage.people.profile_fields.users_with_value(tx, field_id, gone):
            actions.people.profiles.delete(tx, user_id, field_id)


def delete(tx: Tx, user: User, field_id: int) -> None:
    """Delete a field with its values."""
    actions.groups.permissions.require_administrator(tx, user)
    _find(storage.people.profile_fields.list_all(tx), field_id)
    storage.people.profile_fields.delete(tx, field_id)
    _announce(tx)


def reorder(tx: Tx, user: User, order: list[int]) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    known = [field.id for field in storage.people.profile_fields.list_all(tx)]
    if sorted(order) != sorted(known):
        raise BadRequest("Invalid order mapping.", problem="invalid-order")
    storage.people.profile_fields.set_order(tx, order)
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
    fields = [
        events.types.people.profile_fields.field_object(field)
        for field in storage.people.profile_fields.list_all(tx)
    ]
    events.log.announce(tx, ProfileFieldsChanged(fields), to=Everyone())
