"""Navigation views: entries in the sidebar of the caller's client."""

from typing import Annotated

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.events.types.personal.navigation_views import ViewObject
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank, Stripped
from tertulia.http.replies import Reply

Fragment = Annotated[
    str, Stripped, NotBlank, MaxLength(domain.limits.MAX_NAVIGATION_FRAGMENT_LENGTH), NoNul
]
ViewName = Annotated[str, Stripped, MaxLength(domain.limits.MAX_NAVIGATION_NAME_LENGTH), NoNul]


class NavigationViews(Reply):
    navigation_views: list[ViewObject]


async def fetch(call: Call) -> NavigationViews:
    """List the caller's navigation views."""
    found = await call.db.read(storage.personal.navigation_views.of_user, call.user.id)
    to_wire = events.types.personal.navigation_views.view_object
    return NavigationViews(navigation_views=[to_wire(each) for each in found])


async def add(
    call: Call, *, fragment: Fragment, is_pinned: bool, name: ViewName | None = None
) -> None:
    """Add a navigation view, or hide a built-in one."""
    view = NavigationView(fragment, name, is_pinned)
    await call.db.write(actions.personal.navigation_views.add, call.user, view)


async def edit(
    call: Call, fragment: str, *, is_pinned: bool | None = None, name: ViewName | None = None
) -> None:
    """Pin, hide or rename a navigation view."""
    await call.db.write(
        actions.personal.navigation_views.edit, call.user, fragment, is_pinned, name
    )


async def remove(call: Call, fragment: str) -> None:
    """Delete a navigation view."""
    await call.db.write(actions.personal.navigation_views.remove, call.user, fragment)
