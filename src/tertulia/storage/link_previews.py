"""What linked pages said about themselves, and messages whose author removed the previews."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.messages.link_previews import LinkPreview


def find(tx: Tx, urls: Sequence[str], since: float) -> dict[str, LinkPreview]:
    """By address, if they were fetched after a time."""
    rows = tx.all(
        "SELECT url, title, description, image FROM link_preview"
        " WHERE realm_id = :realm AND url IN :urls AND fetched_at >= :since",
        urls=list(urls),
        since=since,
    )
    return {
        row["url"]: LinkPreview(row["url"], row["title"], row["description"], row["image"])
        for row in rows
    }


def store(tx: Tx, previews: Sequence[LinkPreview]) -> None:
    tx.execute_many(
        "INSERT INTO link_preview (realm_id, url, title, description, image, fetched_at)"
        " VALUES (:realm, :url, :title, :description, :image, :now)"
        " ON CONFLICT (realm_id, url) DO UPDATE SET title = excluded.title,"
        " description = excluded.description, image = excluded.image,"
        " fetched_at = excluded.fetched_at",
        [
            {
                "realm": tx.realm_id,
                "url": each.url,
                "title": each.title,
                "description": each.description,
                "image": each.image,
                "now": tx.now,
            }
            for each in previews
        ],
    )


def delete_older(tx: Tx, before: float) -> None:
    """In all organizations."""
    tx.execute("DELETE FROM link_preview WHERE fetched_at < :before", before=before)


def remove_from(tx: Tx, message_id: int) -> None:
    """Show no previews below this message from now on."""
    tx.execute(
        "INSERT INTO removed_link_preview (message_id, realm_id) VALUES (:id, :realm)"
        " ON CONFLICT DO NOTHING",
        id=message_id,
    )


def are_removed_from(tx: Tx, message_id: int) -> bool:
    return tx.exists(
        "SELECT 1 AS found FROM removed_link_preview WHERE message_id = :id", id=message_id
    )
