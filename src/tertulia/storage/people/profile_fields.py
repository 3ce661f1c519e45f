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
