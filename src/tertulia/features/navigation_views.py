"""Navigation views: pinned and hidden entries of the sidebar. Only their owner sees them."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from tertulia import events
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import Example, MaxLength, NoNul, NotBlank, Stripped
from tertulia.http.replies import Reply
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent

MAX_VIEWS = 200  # per user
MAX_FRAGMENT_LENGTH = 1000
MAX_NAME_LENGTH = 60

FragmentText = Annotated[
    str, Doc("The URL fragment of the view, after the `#`.", example="narrow/is/starred")
]
Fragment = Annotated[FragmentText, Stripped, NotBlank, MaxLength(MAX_FRAGMENT_LENGTH), NoNul]
ViewName = Annotated[str, Stripped, MaxLength(MAX_NAME_LENGTH), NoNul, Doc("The name.")]

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


IsPinned = Annotated[
    bool, Doc("Whether the view is pinned; otherwise it is hidden in a menu.", example=True)
]
Name = Annotated[str, Doc("The name of the view.")]


class NavigationView(Record, frozen=True, table="navigation_view"):
    """`fragment` is its URL fragment in the client and its id in the API."""

    fragment: str
    name: str | None
    is_pinned: bool


class ViewNotFound(ClientError):
    status = 404
    message = "Navigation view does not exist."
    problem = "not-found"


def check(view: NavigationView) -> None:
    if view.fragment in BUILT_IN and view.name is not None:
        raise BadRequest("Built-in views cannot have a custom name.")
    if view.fragment not in BUILT_IN and not view.name:
        raise BadRequest("Custom views must have a valid name.")


def of_user(tx: Tx, user_id: int) -> list[NavigationView]:
    return NavigationView.where(tx, "fragment", user_id=user_id)


def store(tx: Tx, user_id: int, view: NavigationView) -> None:
    NavigationView.upsert(tx, ("user_id", "fragment"), user_id=user_id, **asdict(view))


# --- events ---


class ViewObject(msgspec.Struct):
    fragment: FragmentText
    is_pinned: IsPinned
    name: Name | None


def view_object(view: NavigationView) -> ViewObject:
    return ViewObject(view.fragment, view.is_pinned, view.name)


class ViewAdded(Event, frozen=True, kind="navigation_view_added"):
    fragment: str
    is_pinned: bool
    name: str | None

    class Wire(WireEvent, tag="navigation_view"):
        op: Literal["add"]
        navigation_view: Annotated[ViewObject, Doc("The navigation view.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("add", ViewObject(self.fragment, self.is_pinned, self.name))


class ViewChanges(msgspec.Struct):
    """The changed members of a view."""

    name: Name | UnsetType | None = UNSET
    is_pinned: IsPinned | UnsetType = UNSET


class ViewChanged(Event, frozen=True, kind="navigation_view_changed"):
    fragment: str
    data: dict[str, Any]  # the changed members

    class Wire(WireEvent, tag="navigation_view"):
        op: Literal["update"]
        fragment: FragmentText
        data: Annotated[ViewChanges, Doc("The changed fields.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("update", self.fragment, ViewChanges(**self.data))


class ViewRemoved(Event, frozen=True, kind="navigation_view_removed"):
    fragment: str

    class Wire(WireEvent, tag="navigation_view"):
        op: Literal["remove"]
        fragment: FragmentText

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.fragment)


# --- actions ---


def add(tx: Tx, user: User, view: NavigationView) -> None:
    check(view)
    known = of_user(tx, user.id)
    if len(known) >= MAX_VIEWS:
        raise TooMany("navigation views", MAX_VIEWS)
    _check_is_new(view, known)
    store(tx, user.id, view)
    events.log.announce(
        tx, ViewAdded(view.fragment, view.is_pinned, view.name), to=Users([user.id])
    )


def edit(tx: Tx, user: User, fragment: str, is_pinned: bool | None, name: str | None) -> None:
    """Apply the given changes. Unchanged values produce no event."""
    known = {each.fragment: each for each in of_user(tx, user.id)}
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
    after = replace(before, **data)
    check(after)
    _check_is_new(after, list(known.values()))
    store(tx, user.id, after)
    events.log.announce(tx, ViewChanged(fragment, data), to=Users([user.id]))


def delete(tx: Tx, user: User, fragment: str) -> None:
    if not NavigationView.delete(tx, user_id=user.id, fragment=fragment):
        raise ViewNotFound()
    events.log.announce(tx, ViewRemoved(fragment), to=Users([user.id]))


def _check_is_new(view: NavigationView, others: list[NavigationView]) -> None:
    for each in others:
        if each.fragment == view.fragment or (each.name == view.name and view.name is not None):
            raise BadRequest("Navigation view already exists.")


# --- endpoints ---


class NavigationViews(Reply):
    navigation_views: Annotated[list[ViewObject], Doc("The views, in their order.")]


async def fetch(call: Call) -> NavigationViews:
    """List the caller's navigation views."""
    found = await call.db.read(of_user, call.user.id)
    return NavigationViews(navigation_views=[view_object(each) for each in found])


async def create(
    call: Call, *, fragment: Fragment, is_pinned: IsPinned, name: ViewName | None = None
) -> None:
    """Add a navigation view, or hide a built-in one."""
    await call.db.write(add, call.user, NavigationView(fragment, name, is_pinned))


async def update(
    call: Call,
    fragment: FragmentText,
    *,
    is_pinned: Annotated[IsPinned | None, Example(False)] = None,
    name: ViewName | None = None,
) -> None:
    """Pin, hide or rename a navigation view."""
    await call.db.write(edit, call.user, fragment, is_pinned, name)


async def remove(call: Call, fragment: FragmentText) -> None:
    """Delete a navigation view."""
    await call.db.write(delete, call.user, fragment)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for row in export.rows("navigation_view"):
        yield {
            "user_profile": row["user_id"],
            "fragment": row["fragment"],
            "name": row["name"],
            "is_pinned": bool(row["is_pinned"]),
        }


FEATURE = Feature(
    register={
        "navigation_views": ListedPart(
            "navigation_view", of_user, view_object, doc="The user's navigation views."
        )
    },
    exports={"zerver_navigationview": _exported},
)
