"""Custom profile fields and their values."""

from collections.abc import Iterable

from tertulia.database.tx import Tx
from tertulia.domain.people.profile_fields import FieldValue, ProfileField
from tertulia.storage.row_mapper import RowMapper

Values = dict[int, FieldValue]  # by field


_FIELDS = RowMapper(ProfileField, "profile_field", columns={"type": "field_type"})


def list_all(tx: Tx) -> list[ProfileField]:
    """All fields, in their order."""
    return _FIELDS.where(tx, "position, id")


def insert(tx: Tx, field: ProfileField) -> int:
    """After all others, regardless of the position."""
    field_id = tx.insert_with_id(
        "profile_field", field_type=int(field.type), position=0, **_changeable(field)
    )
    # A new field is last: its id is larger than any position that was set.
    tx.execute("UPDATE profile_field SET position = id WHERE id = :id", id=field_id)
    return field_id


def update(tx: Tx, field: ProfileField) -> None:
    tx.update("profile_field", field.id, **_changeable(field))


def delete(tx: Tx, field_id: int) -> None:
    """Delete a field and all its values."""
    here = {"field": field_id, "realm": tx.realm_id}
    tx.execute("DELETE FROM profile_value WHERE field_id = :field AND realm_id = :realm", **here)
    tx.execute("DELETE FROM profile_field WHERE id = :field AND realm_id = :realm", **here)


def set_order(tx: Tx, field_ids: list[int]) -> None:
    for position, field_id in enumerate(field_ids):
        tx.update("profile_field", field_id, position=position)


# --- values ---


def all_values(tx: Tx, user_ids: Iterable[int] | None = None) -> dict[int, Values]:
    """The values of these users, or of all; by user, then by field."""
    wanted = "" if user_ids is None else " AND user_id IN :ids"
    rows = tx.all(
        "SELECT user_id, field_id, value, rendered FROM profile_value"
        f" WHERE realm_id = :realm{wanted} ORDER BY user_id, field_id",
        **({} if user_ids is None else {"ids": list(user_ids)}),
    )
    found: dict[int, Values] = {}
    for row in rows:
        value = FieldValue(row["value"], row["rendered"])
        found.setdefault(row["user_id"], {})[row["field_id"]] = value
    return found


def set_value(tx: Tx, user_id: int, field_id: int, value: FieldValue) -> None:
    tx.upsert(
        "profile_value",
        ("user_id", "field_id"),
        user_id=user_id,
        field_id=field_id,
        value=value.text,
        rendered=value.rendered,
    )


def remove_value(tx: Tx, user_id: int, field_id: int) -> None:
    tx.delete("profile_value", user_id=user_id, field_id=field_id)


def users_with_value(tx: Tx, field_id: int, values: list[str]) -> list[int]:
    """Users with one of these values."""
    return tx.column(
        "SELECT user_id FROM profile_value WHERE field_id = :field AND realm_id = :realm"
        " AND value IN :values ORDER BY user_id",
        field=field_id,
        values=values,
    )


def _changeable(field: ProfileField) -> dict[str, str | bool]:
    return {
        "name": field.name,
        "hint": field.hint,
        "data": field.data,
        "in_summary": field.in_summary,
        "required": field.required,
        "editable_by_user": field.editable_by_user,
        "for_matching": field.for_matching,
    }
