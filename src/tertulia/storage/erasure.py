"""Erasing all data of a user or of an organization.

Both follow the foreign keys of the schema, so a new table is covered automatically.
"""

from tertulia.database.tx import Tx
from tertulia.storage import data_check, table_copy
from tertulia.storage.messages import deleted
from tertulia.storage.messages.table import record_newest_deleted

# Columns that keep the bare id of an erased user, because data of others depends on it. Features
# add theirs.
STAYS = {
    ("account", "bot_owner_id"),
    ("audit_entry", "actor_id"),
    ("channel", "creator_id"),
    ("conversation_member", "user_id"),
    ("deleted_message", "deleted_by"),
    ("legal_hold", "created_by"),
    ("legal_hold", "ended_by"),
    ("message", "sender_id"),
    ("message_edit", "user_id"),
    ("topic_edit", "user_id"),
    ("user_group", "creator_id"),
}
# Deleted with the bytes of the file.
DELETED_BEFORE = {
    ("attachment", "owner_id"),
    ("deleted_attachment", "owner_id"),
    ("upload", "person_id"),
}
STEP = 5_000  # rows of a large table per transaction
KEPT_STEP = 100  # kept messages that name users
STEP_OF_USERS = 2_000  # rows of users per transaction


def messages_of(tx: Tx, user_id: int, limit: int) -> list[int]:
    return tx.column(
        "SELECT id FROM message WHERE sender_id = :user AND realm_id = :realm"
        " ORDER BY id LIMIT :limit",
        user=user_id,
        limit=limit,
    )


def delete_rows(tx: Tx, user_ids: list[int]) -> bool:
    """Delete some rows that refer to users and need not stay. Returns whether there may be
    more."""
    tx.execute(
        "UPDATE upload SET touched_at = 0, person_id = NULL"
        " WHERE person_id IN :users AND realm_id = :realm",
        users=user_ids,
    )
    if deleted.remove_users(tx, user_ids, KEPT_STEP):
        return True
    references = data_check.references(tx)
    own = [
        (table, column)
        for table, column, target in references
        if target == "account" and (table, column) not in STAYS | DELETED_BEFORE
    ]
    columns = table_copy.tables(tx)
    room = STEP_OF_USERS
    for table, column in own:
        theirs = f"FROM {table} WHERE {column} IN :users AND realm_id = :realm"
        for child, number, target in references:
            if target == table:
                room -= tx.execute(
                    f"DELETE FROM {child} WHERE {number} IN (SELECT id {theirs})", users=user_ids
                )
        key = _number(columns.get(table, {}))
        some = "" if key is None else f" AND {key} IN (SELECT {key} {theirs} LIMIT {max(1, room)})"
        room -= tx.execute(f"DELETE {theirs}{some}", users=user_ids)
        if room <= 0:
            return True
    return False


def account(tx: Tx, user_id: int, email: str, full_name: str) -> None:
    """Replace the personal data of an account; its id stays."""
    tx.execute(
        "UPDATE account SET email = :email, email_key = :email, full_name = :name, timezone = '',"
        " avatar_source = 'J', avatar_name = NULL, avatar_version = avatar_version + 1,"
        " password_hash = NULL, key_hash = NULL, key_sealed = NULL, settings = '{}'"
        " WHERE id = :id AND realm_id = :realm",
        email=email,
        name=full_name,
        id=user_id,
    )


def delete_batch(tx: Tx) -> bool:
    """Delete a part of an organization's data. Returns whether there is more.

    The organization itself is deleted last, so an interrupted deletion can be continued.
    """
    columns = table_copy.tables(tx)
    _preserve_newest_id(tx)
    for table in ["queue", "event", *reversed(columns)]:
        if table == "realm" or "realm_id" not in columns.get(table, ["realm_id"]):
            continue
        key = None if table == "account" else _number(columns.get(table, {}))
        if key is None:
            tx.execute(f"DELETE FROM {table} WHERE realm_id = :realm")
        elif _delete_rows(tx, table, key):
            return True
    tx.execute("DELETE FROM realm WHERE id = :realm")
    return False


def _delete_rows(tx: Tx, table: str, key: str) -> bool:
    gone = tx.execute(
        f"DELETE FROM {table} WHERE realm_id = :realm AND {key} IN"
        f" (SELECT {key} FROM {table} WHERE realm_id = :realm ORDER BY {key} LIMIT :step)",
        step=STEP,
    )
    return gone >= STEP


def _preserve_newest_id(tx: Tx) -> None:
    """Remember the newest message id, so that no other message gets the id of a deleted one."""
    newest = tx.value("SELECT max(id) AS value FROM message WHERE realm_id = :realm")
    other = tx.value("SELECT min(id) AS value FROM realm WHERE id <> :realm")
    if newest is not None and other is not None:
        record_newest_deleted(tx.for_realm(other), newest)


def _number(columns: dict[str, str]) -> str | None:
    """The column by which a table is deleted in steps; None for a small table."""
    return next((name for name in ("id", "message_id", "topic_key") if name in columns), None)
