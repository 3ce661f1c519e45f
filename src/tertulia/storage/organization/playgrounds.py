"""Playgrounds of an organization."""

from tertulia.database.tx import Tx
from tertulia.domain.organization.playgrounds import Playground
from tertulia.storage.row_mapper import Record

_PLAYGROUNDS = Record(Playground, "playground")


def list_all(tx: Tx) -> list[Playground]:
    return _PLAYGROUNDS.where(tx, "id")


def insert(tx: Tx, name: str, language: str, url_template: str) -> int:
    return tx.insert_with_id("playground", name=name, language=language, url_template=url_template)


def delete(tx: Tx, playground_id: int) -> bool:
    """Returns whether it existed."""
    return tx.delete("playground", id=playground_id) > 0
