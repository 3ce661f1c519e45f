"""Navigation views as clients see them, and the events that tell of them."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
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
    shared: ClassVar[bool] = True

    fragment: str
    is_pinned: bool
    name: str | None

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        told = ViewObject(self.fragment, self.is_pinned, self.name)
        yield {"type": "navigation_view", "op": "add", "navigation_view": told}


class ViewChanged(Event, frozen=True):
    kind: ClassVar[str] = "navigation_view_changed"
    types: ClassVar[tuple[str, ...]] = ("navigation_view",)
    shared: ClassVar[bool] = True

    fragment: str
    data: dict[str, Any]  # what is different

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        changed = {"fragment": self.fragment, "data": self.data}
        yield {"type": "navigation_view", "op": "update", **changed}


class ViewRemoved(Event, frozen=True):
    kind: ClassVar[str] = "navigation_view_removed"
    types: ClassVar[tuple[str, ...]] = ("navigation_view",)
    shared: ClassVar[bool] = True

    fragment: str

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield {"type": "navigation_view", "op": "remove", "fragment": self.fragment}
