"""The icon and logos of an organization."""

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx


def store(tx: Tx, kind: str, name: str, picture: bytes) -> None:
    """Replace the image, under a new name."""
    tx.upsert("realm_picture", ("realm_id", "kind"), kind=kind, name=name, picture=picture)
    _store_names(tx, storage.organization.current(tx).pictures | {kind: name})


def remove(tx: Tx, kind: str) -> None:
    tx.delete("realm_picture", kind=kind)
    known = storage.organization.current(tx).pictures
    _store_names(tx, {each: name for each, name in known.items() if each != kind})


def find(tx: Tx, name: str) -> bytes | None:
    found = tx.value(
        "SELECT picture AS value FROM realm_picture WHERE realm_id = :realm AND name = :name",
        name=name,
    )
    return None if found is None else bytes(found)


def _store_names(tx: Tx, names: dict[str, str]) -> None:
    """Store the names of the images in the organization's row."""
    tx.execute(
        "UPDATE realm SET pictures = :names WHERE id = :realm",
        names=msgspec.json.encode(names).decode(),
    )
