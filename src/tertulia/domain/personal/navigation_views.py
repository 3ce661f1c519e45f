"""Navigation views: pinned and hidden entries of the sidebar."""

import msgspec

from tertulia.errors import BadRequest

# Built-in views by their names in clients.
BUILT_IN = frozenset(
    {
        "inbox",
        "recent",
        "feed",
        "drafts",
        "narrow/has/reaction/sender/me",
        "narrow/is/mentioned",
        "narrow/is/starred",
        "scheduled",
        "reminders",
    }
)


class NavigationView(msgspec.Struct, frozen=True):
    """`fragment` is its URL fragment in the client and its id in the API."""

    fragment: str
    name: str | None
    is_pinned: bool


def checked(view: NavigationView) -> NavigationView:
    if view.fragment in BUILT_IN and view.name is not None:
        raise BadRequest("Built-in views cannot have a custom name.")
    if view.fragment not in BUILT_IN and not view.name:
        raise BadRequest("Custom views must have a valid name.")
    return view
