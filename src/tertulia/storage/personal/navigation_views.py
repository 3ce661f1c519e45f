"""Navigation views, each seen by its owner alone."""

from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.storage.database.tx import Row, Tx


def of_user(tx: Tx, user_id: int) -> list[NavigationView]:
    rows = tx.all(
        "SELECT fragment, name, is_pinned FROM navigation_view"
        " WHERE user_id = :user AND realm_id = :realm ORDER BY fragment",
        user=user_id,
    )
    return [_view(row) for row in rows]


def insert(tx: Tx, user_id: int, view: NavigationView) -> None:
    tx.execute(
        "INSERT INTO navigation_view (realm_id, user_id, fragment, name, is_pinned)"
        " VALUES (:realm, :user, :fragment, :name, :pinned)",
        user=user_id,
        fragment=view.fragment,
        name=view.name,
        pinned=view.is_pinned,
    )


def update(tx: Tx, user_id: int, view: NavigationView) -> None:
    tx.execute(
        "UPDATE navigation_view SET name = :name, is_pinned = :pinned"
        " WHERE user_id = :user AND fragment = :fragment AND realm_id = :realm",
        user=user_id,
        fragment=view.fragment,
        name=view.name,
        pinned=view.is_pinned,
    )


def delete(tx: Tx, user_id: int, fragment: str) -> None:
    tx.execute(
        "DELETE FROM navigation_view"
        " WHERE user_id = :user AND fragment = :fragment AND realm_id = :realm",
        user=user_id,
        fragment=fragment,
    )


def _view(row: Row) -> NavigationView:
    return NavigationView(row["fragment"], row["name"], bool(row["is_pinned"]))
