"""Events of personal settings, and of their effects on other users."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import domain
from tertulia.domain.organization.languages import LANGUAGES
from tertulia.domain.people.user import EmailVisibility, User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, UserEvent
from tertulia.events.types.people.user import PersonUpdate, avatar_part, person_updated
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import SettingName

Value = Annotated[bool | int | str, Doc("The new value.")]


class SettingChanged(UserEvent, frozen=True, kind="setting"):
    """A user changed a setting. Only they receive the event."""

    property: str
    value: Any

    class Wire(WireEvent, tag="user_settings"):
        op: Literal["update"]
        property: SettingName
        value: Value
        language_name: Annotated[str | UnsetType, Doc("The name of the new language.")] = UNSET

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        is_language = self.property == "default_language"
        name = LANGUAGES[self.value] if is_language else UNSET
        yield self.Wire("update", self.property, self.value, name)


class UserSettingDefaultsChanged(Event, frozen=True, kind="newcomer_setting"):
    """A default setting for new users changed."""

    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    property: str
    value: Any

    class Wire(WireEvent, tag="realm_user_settings_defaults"):
        op: Literal["update"]
        property: SettingName
        value: Value

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("update", self.property, self.value)


class TimezoneChanged(UserEvent, frozen=True, kind="timezone", wires=(PersonUpdate,)):
    timezone: str

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        email = org.users[self.user_id].api_email(org.email_domain)
        yield person_updated(self.user_id, email=email, timezone=self.timezone)


class OwnNameChanged(UserEvent, frozen=True, kind="own_name", wires=(PersonUpdate,)):
    full_name: str

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield person_updated(self.user_id, full_name=self.full_name)


class AddressChanged(UserEvent, frozen=True, kind="address", wires=(PersonUpdate,)):
    """A user's email address, or who may see it, changed.

    A listener receives the real address only if it became visible or invisible to them, or changed
    while visible. They receive the public address, and the avatar that may depend on it, if that
    changed.
    """

    email: str
    email_before: str
    visibility: int
    visibility_before: int

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        known = org.users[self.user_id]
        now = _with(known, self.email, self.visibility)
        before = _with(known, self.email_before, self.visibility_before)
        viewer = org.users[to.user_id]
        shown = now.email if domain.people.user.may_see_email(viewer, now) else None
        shown_before = before.email if domain.people.user.may_see_email(viewer, before) else None
        if shown != shown_before:
            yield person_updated(self.user_id, delivery_email=shown)
        public = now.api_email(org.email_domain)
        if public != before.api_email(org.email_domain):
            yield person_updated(self.user_id, new_email=public)
            yield person_updated(self.user_id, **avatar_part(org, now))


def _with(user: User, email: str, visibility: int) -> User:
    settings = user.settings | {"email_address_visibility": int(EmailVisibility(visibility))}
    return replace(user, email=email, settings=settings)
