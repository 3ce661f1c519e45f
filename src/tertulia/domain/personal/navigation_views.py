"""Navigation views: what somebody sees in the sidebar of their client, and what is hidden there."""

import msgspec

from tertulia.errors import BadRequest

# Those that clients bring along; they are called what clients call them.
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
    """Its address within the client, which is also how it is named in calls."""

    fragment: str
    name: str | None
    is_pinned: bool


def checked(view: NavigationView) -> NavigationView:
    if view.fragment in BUILT_IN and view.name is not None:
        raise BadRequest("Built-in views cannot have a custom name.")
    if view.fragment not in BUILT_IN and not view.name:
        raise BadRequest("Custom views must have a valid name.")
    return view
