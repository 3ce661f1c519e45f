"""What people fill in about themselves, and what administrators fill in about others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from tertulia.actions import known_people, people, rights
from tertulia.domain import limits
from tertulia.domain.profiles import FieldValue, ProfileField, checked_value, named_users
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.errors.people import ProfileFieldNotFound
from tertulia.events.log import announce
from tertulia.events.types.profiles import ChangedValue, ProfileChanged
from tertulia.storage import profile_fields
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class FieldAnswer:
    """An answer to one field as it came; None takes the present one back."""

    field_id: int
    value: Any
    rendered: str | None = None  # HTML, for the kinds that have it


def change(tx: Tx, actor: User, user_id: int, values: Sequence[FieldAnswer]) -> None:
    """Fill in somebody's profile, all of it or nothing; what stays the same is not told."""
    actor = rights.acting(tx, actor)
    fields = {field.id: field for field in profile_fields.everything(tx)}
    held = dict(profile_fields.all_values(tx, [user_id]).get(user_id, {}))
    told: list[ChangedValue] = []
    for new in values:
        field = fields.get(new.field_id)
        if field is None:
            raise ProfileFieldNotFound(field_id=new.field_id)
        if not field.editable_by_user and not actor.is_admin:
            raise BadRequest(
                "You are not allowed to change this field. Contact an administrator to update it."
            )
        if new.value is None:
            if held.pop(field.id, None) is not None:
                profile_fields.remove_value(tx, user_id, field.id)
                told.append(ChangedValue(field.id, None))
            continue
        value = FieldValue(_checked(tx, actor, field, new.value), new.rendered)
        if held.get(field.id) != value:
            held[field.id] = value
            profile_fields.set_value(tx, user_id, field.id, value)
            rendered = UNSET if value.rendered is None else value.rendered
            told.append(ChangedValue(field.id, value.text, rendered))
    if told:
        announce(tx, ProfileChanged(user_id, told), to=known_people.knowing(tx, user_id))


def forget(tx: Tx, user_id: int, field_id: int) -> None:
    """Take back what somebody has filled in, whoever may edit it."""
    profile_fields.remove_value(tx, user_id, field_id)
    announce(
        tx,
        ProfileChanged(user_id, [ChangedValue(field_id, None)]),
        to=known_people.knowing(tx, user_id),
    )


def _checked(tx: Tx, actor: User, field: ProfileField, value: Any) -> str:
    text = checked_value(field, value)
    named = named_users(field, text)
    possible = [user_id for user_id in named if 0 < user_id <= limits.LARGEST_ID]
    found = people.find_many(tx, actor, possible) if possible else []
    humans = {user.id for user in found if not user.is_bot}
    unknown = [user_id for user_id in named if user_id not in humans]
    if unknown:
        raise BadRequest(f"Invalid user IDs: {', '.join(str(user_id) for user_id in unknown)}")
    return text
