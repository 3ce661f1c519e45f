"""Custom emoji and their images."""

from tertulia.database.tx import Tx
from tertulia.domain.organization.custom_emoji import CustomEmoji
from tertulia.storage.row_mapper import RowMapper

_EMOJI = RowMapper(CustomEmoji, "emoji")


def list_all(tx: Tx) -> list[CustomEmoji]:
    """All custom emoji, deactivated ones included: old reactions still show them."""
    return _EMOJI.where(tx, "id")


def find(tx: Tx, emoji_id: int) -> CustomEmoji | None:
    return _EMOJI.find(tx, id=emoji_id)


def find_active(tx: Tx, name: str) -> CustomEmoji | None:
    return _EMOJI.one(
        tx,
        "FROM emoji WHERE realm_id = :realm AND name = :name AND NOT deactivated",
        name=name,
    )


def insert(
    tx: Tx,
    name: str,
    author_id: int,
    picture: tuple[str, bytes],
    still: tuple[str | None, bytes | None],
) -> int:
    """Images are given as (file name, bytes)."""
    return tx.insert_with_id(
        "emoji",
        name=name,
        author_id=author_id,
        file_name=picture[0],
        picture=picture[1],
        still_name=still[0],
        still=still[1],
    )


def deactivate(tx: Tx, emoji_id: int) -> None:
    tx.execute("UPDATE emoji SET deactivated = :yes WHERE id = :id", yes=True, id=emoji_id)


def picture(tx: Tx, file_name: str) -> bytes | None:
    found = tx.value(
        "SELECT picture AS value FROM emoji WHERE realm_id = :realm AND file_name = :name",
        name=file_name,
    )
    return None if found is None else bytes(found)


def find_still(tx: Tx, still_name: str) -> bytes | None:
    found = tx.value(
        "SELECT still AS value FROM emoji WHERE realm_id = :realm AND still_name = :name",
        name=still_name,
    )
    return None if found is None else bytes(found)
