"""Linkifiers, in the order in which they are applied."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict

from tertulia.database.tx import Tx
from tertulia.domain.organization.linkifiers import Linkifier, LinkifierRule
from tertulia.storage.row_mapper import RowMapper

_RULES = RowMapper(
    LinkifierRule,
    readings={"alternative_url_templates": msgspec.json.Decoder(tuple[str, ...]).decode},
)


def list_all(tx: Tx) -> list[Linkifier]:
    rows = tx.all("SELECT * FROM linkifier WHERE realm_id = :realm ORDER BY position, id")
    return [Linkifier(row["id"], _RULES.of(row)) for row in rows]


def insert(tx: Tx, rule: LinkifierRule) -> int:
    """After all others."""
    last = tx.value("SELECT max(position) AS value FROM linkifier WHERE realm_id = :realm")
    return tx.insert_with_id("linkifier", position=(last or 0) + 1, **_columns(rule))


def update(tx: Tx, linkifier_id: int, rule: LinkifierRule) -> None:
    tx.update("linkifier", linkifier_id, **_columns(rule))


def delete(tx: Tx, linkifier_id: int) -> None:
    tx.delete("linkifier", id=linkifier_id)


def set_order(tx: Tx, linkifier_ids: Sequence[int]) -> None:
    for position, linkifier_id in enumerate(linkifier_ids, 1):
        tx.update("linkifier", linkifier_id, position=position)


def _columns(rule: LinkifierRule) -> dict[str, Any]:
    templates = msgspec.json.encode(rule.alternative_url_templates).decode()
    return asdict(rule) | {"alternative_url_templates": templates}
