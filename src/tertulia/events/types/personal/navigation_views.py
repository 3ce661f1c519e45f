"""Navigation views in API format, and their events."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class ViewObject(msgspec.Struct):
    fragment: str
    is_pinned: bool
    name: str | None


def view_object(view: NavigationView) -> ViewObject:
    return ViewObject(view.fragment, view.is_pinned, view.name)


class ViewAdded(Event, frozen=True):
    kind: ClassVar[str] = "navigation_view_added"
    types: ClassVar[tuple[str, ...]] = ("navigation_view",)

    fragment: str
    is_pinned: bool
    name: str | None

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        view = ViewObject(self.fragment, self.is_pinned, self.name)
        yield {"op": "add", "navigation_view": view}


class ViewChanged(Event, frozen=True):
    kind: ClassVar[str] = "navigation_view_changed"
    types: ClassVar[tuple[str, ...]] = ("navigation_view",)

    fragment: str
    data: dict[str, Any]  # the changed members

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "update", "fragment": self.fragment, "data": self.data}


class ViewRemoved(Event, frozen=True):
    kind: ClassVar[str] = "navigation_view_removed"
    types: ClassVar[tuple[str, ...]] = ("navigation_view",)

    fragment: str

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "fragment": self.fragment}
