"""Linkifiers, in the order in which they are applied."""

from collections.abc import Sequence

import msgspec

from tertulia.domain.organization.linkifiers import Linkifier, LinkifierRule
from tertulia.storage.database.tx import Row, Tx

_decode = msgspec.json.Decoder(tuple[str, ...]).decode


def everything(tx: Tx) -> list[Linkifier]:
    rows = tx.all("SELECT * FROM linkifier WHERE realm_id = :realm ORDER BY position, id")
    return [_linkifier(row) for row in rows]


def insert(tx: Tx, rule: LinkifierRule) -> int:
    """After all the others."""
    return tx.insert(
        "INSERT INTO linkifier (realm_id, position, pattern, url_template, example_input,"
        " reverse_template, alternative_url_templates)"
        " VALUES (:realm, (SELECT coalesce(max(position), 0) + 1 FROM linkifier"
        " WHERE realm_id = :realm), :pattern, :template, :example, :reverse, :alternatives)"
        " RETURNING id",
        **_columns(rule),
    )


def update(tx: Tx, linkifier_id: int, rule: LinkifierRule) -> None:
    tx.execute(
        "UPDATE linkifier SET pattern = :pattern, url_template = :template,"
        " example_input = :example, reverse_template = :reverse,"
        " alternative_url_templates = :alternatives WHERE id = :id AND realm_id = :realm",
        id=linkifier_id,
        **_columns(rule),
    )


def delete(tx: Tx, linkifier_id: int) -> None:
    tx.execute("DELETE FROM linkifier WHERE id = :id AND realm_id = :realm", id=linkifier_id)


def set_order(tx: Tx, linkifier_ids: Sequence[int]) -> None:
    tx.execute_many(
        "UPDATE linkifier SET position = :position WHERE id = :id AND realm_id = :realm",
        (
            {"position": position, "id": linkifier_id, "realm": tx.realm_id}
            for position, linkifier_id in enumerate(linkifier_ids, 1)
        ),
    )


def _columns(rule: LinkifierRule) -> dict[str, str | None]:
    return {
        "pattern": rule.pattern,
        "template": rule.url_template,
        "example": rule.example_input,
        "reverse": rule.reverse_template,
        "alternatives": msgspec.json.encode(rule.alternative_url_templates).decode(),
    }


def _linkifier(row: Row) -> Linkifier:
    rule = LinkifierRule(
        pattern=row["pattern"],
        url_template=row["url_template"],
        example_input=row["example_input"],
        reverse_template=row["reverse_template"],
        alternative_url_templates=_decode(row["alternative_url_templates"]),
    )
    return Linkifier(row["id"], rule)
