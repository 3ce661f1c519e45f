"""Navigation views; only their owner sees them."""

from msgspec.structs import asdict

from tertulia.database.tx import Tx
from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.storage.row_mapper import Record

_VIEWS = Record(NavigationView, "navigation_view")


def of_user(tx: Tx, user_id: int) -> list[NavigationView]:
    return _VIEWS.where(tx, "fragment", user_id=user_id)


def insert(tx: Tx, user_id: int, view: NavigationView) -> None:
    tx.insert_row("navigation_view", user_id=user_id, **asdict(view))


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
    tx.delete("navigation_view", user_id=user_id, fragment=fragment)
