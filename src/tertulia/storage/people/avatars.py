"""Uploaded avatars."""

from tertulia.database.tx import Tx


def store(tx: Tx, user_id: int, name: str, picture: bytes, medium: bytes) -> None:
    """Replace the image, under a new name."""
    tx.upsert("avatar", ("user_id",), user_id=user_id, name=name, picture=picture, medium=medium)


def remove(tx: Tx, user_id: int) -> None:
    tx.delete("avatar", user_id=user_id)


def store_source(tx: Tx, user_id: int, source: str, name: str | None) -> None:
    """Store the source of the avatar in the account; every change gets a version."""
    tx.execute(
        "UPDATE account SET avatar_source = :source, avatar_name = :name,"
        " avatar_version = avatar_version + 1 WHERE id = :id AND realm_id = :realm",
        source=source,
        name=name,
        id=user_id,
    )


def find(tx: Tx, name: str, *, medium: bool) -> bytes | None:
    found = tx.value(
        f"SELECT {'medium' if medium else 'picture'} AS value FROM avatar"
        " WHERE realm_id = :realm AND name = :name",
        name=name,
    )
    return None if found is None else bytes(found)
