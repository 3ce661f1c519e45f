"""Navigation views: each user's own sidebar."""

from tertulia import domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.errors import BadRequest
from tertulia.errors.personal import ViewNotFound
from tertulia.events.audience import Users
from tertulia.events.types.personal.navigation_views import ViewAdded, ViewChanged, ViewRemoved


def add(tx: Tx, user: User, view: NavigationView) -> None:
    domain.personal.navigation_views.checked(view)
    known = storage.personal.navigation_views.of_user(tx, user.id)
    if len(known) >= domain.limits.MAX_NAVIGATION_VIEWS:
        limit = domain.limits.MAX_NAVIGATION_VIEWS
        raise BadRequest(f"Too many navigation views (limit: {limit})")
    _check_is_new(view, known)
    storage.personal.navigation_views.insert(tx, user.id, view)
    events.log.announce(
        tx, ViewAdded(view.fragment, view.is_pinned, view.name), to=Users([user.id])
    )


def edit(tx: Tx, user: User, fragment: str, is_pinned: bool | None, name: str | None) -> None:
    """Apply the given changes. Unchanged values produce no event."""
    known = {each.fragment: each for each in storage.personal.navigation_views.of_user(tx, user.id)}
    before = known.pop(fragment, None)
    if before is None:
        raise ViewNotFound()
    given = {"is_pinned": is_pinned, "name": name}
    data = {
        key: value
        for key, value in given.items()
        if value is not None and value != getattr(before, key)
    }
    if not data:
        return
    after = NavigationView(
        fragment,
        before.name if name is None else name,
        before.is_pinned if is_pinned is None else is_pinned,
    )
    domain.personal.navigation_views.checked(after)
    _check_is_new(after, list(known.values()))
    storage.personal.navigation_views.update(tx, user.id, after)
    events.log.announce(tx, ViewChanged(fragment, data), to=Users([user.id]))


def remove(tx: Tx, user: User, fragment: str) -> None:
    known = storage.personal.navigation_views.of_user(tx, user.id)
    if fragment not in {each.fragment for each in known}:
        raise ViewNotFound()
    storage.personal.navigation_views.delete(tx, user.id, fragment)
    events.log.announce(tx, ViewRemoved(fragment), to=Users([user.id]))


def _check_is_new(view: NavigationView, others: list[NavigationView]) -> None:
    for each in others:
        if each.fragment == view.fragment or (each.name == view.name and view.name is not None):
            raise BadRequest("Navigation view already exists.")
