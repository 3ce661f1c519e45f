"""Profile values, set by users themselves, administrators and login providers."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from tertulia import domain, events, storage
from tertulia.actions.groups import permissions
from tertulia.actions.people import known_people, visible_users
from tertulia.database.tx import Tx
from tertulia.domain.people.profile_fields import RENDERED, FieldType, FieldValue, ProfileField
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.people import ProfileFieldNotFound
from tertulia.events.types.people.user import ChangedValue, ProfileChanged


class FieldChange(msgspec.Struct, frozen=True):
    """A new value of one field; None deletes it."""

    field_id: int
    value: Any
    rendered: str | None = None  # HTML, for types that have it


def change(tx: Tx, actor: User, user_id: int, values: Sequence[FieldChange]) -> None:
    """Set values of a profile, all or none. Unchanged values produce no event."""
    actor = permissions.current_rights(tx, actor)
    fields = {field.id: field for field in storage.people.profile_fields.list_all(tx)}
    held = dict(storage.people.profile_fields.all_values(tx, [user_id]).get(user_id, {}))
    changes: list[ChangedValue] = []
    for new in values:
        field = fields.get(new.field_id)
        if field is None:
            raise ProfileFieldNotFound(field_id=new.field_id)
        if not field.editable_by_user and not actor.is_admin:
            raise BadRequest(
                "You are not allowed to change this field. Contact an administrator to update it.",
                problem="field-not-editable",
            )
        if new.value is None:
            if held.pop(field.id, None) is not None:
                storage.people.profile_fields.remove_value(tx, user_id, field.id)
                changes.append(ChangedValue(field.id, None))
            continue
        value = FieldValue(_checked(tx, actor, field, new.value), new.rendered)
        if held.get(field.id) != value:
            held[field.id] = value
            changes.append(_store(tx, user_id, field, value))
    _announce(tx, user_id, changes)


def fill_in(tx: Tx, user_id: int, values: Mapping[str, str]) -> list[str]:
    """Set values from a provider, by field name. Returns the names of changed fields.

    Skips unknown fields, fields that name users, invalid values and empty ones.
    """
    held = storage.people.profile_fields.all_values(tx, [user_id]).get(user_id, {})
    changes: list[ChangedValue] = []
    names = []
    for field in storage.people.profile_fields.list_all(tx):
        text = values.get(field.name, "")
        if not text or field.type == FieldType.USER:
            continue
        try:
            text = domain.people.profile_fields.checked_value(field, text)
        except BadRequest:
            continue
        rendered = f"<p>{html.escape(text)}</p>" if field.type in RENDERED else None
        value = FieldValue(text, rendered)
        if held.get(field.id) != value:
            changes.append(_store(tx, user_id, field, value))
            names.append(field.name)
    _announce(tx, user_id, changes)
    return names


def delete(tx: Tx, user_id: int, field_id: int) -> None:
    """Delete a value, without a permission check."""
    storage.people.profile_fields.remove_value(tx, user_id, field_id)
    _announce(tx, user_id, [ChangedValue(field_id, None)])


def _store(tx: Tx, user_id: int, field: ProfileField, value: FieldValue) -> ChangedValue:
    storage.people.profile_fields.set_value(tx, user_id, field.id, value)
    rendered = UNSET if value.rendered is None else value.rendered
    return ChangedValue(field.id, value.text, rendered)


def _announce(tx: Tx, user_id: int, changes: list[ChangedValue]) -> None:
    if changes:
        events.log.announce(
            tx,
            ProfileChanged(user_id, changes),
            to=known_people.audience_knowing(tx, user_id),
        )


def _checked(tx: Tx, actor: User, field: ProfileField, value: Any) -> str:
    text = domain.people.profile_fields.checked_value(field, value)
    named = domain.people.profile_fields.named_users(field, text)
    possible = [user_id for user_id in named if 0 < user_id <= domain.limits.MAX_ID]
    found = visible_users.find_many(tx, actor, possible) if possible else []
    humans = {user.id for user in found if not user.is_bot}
    unknown = [user_id for user_id in named if user_id not in humans]
    if unknown:
        raise BadRequest(f"Invalid user IDs: {', '.join(str(user_id) for user_id in unknown)}")
    return text
