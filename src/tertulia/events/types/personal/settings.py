"""Events of personal settings, and of their effects on other users."""

from collections.abc import Iterable
from typing import Any, ClassVar

from msgspec.structs import replace

from tertulia import domain, events
from tertulia.domain.organization.languages import LANGUAGES
from tertulia.domain.people.user import EmailVisibility, User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, UserEvent, Wire


class SettingChanged(UserEvent, frozen=True):
    """A user changed a setting. Only they receive the event."""

    kind: ClassVar[str] = "setting"
    types: ClassVar[tuple[str, ...]] = ("user_settings",)

    property: str
    value: Any

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        changed = {"op": "update", "property": self.property, "value": self.value}
        if self.property == "default_language":
            changed["language_name"] = LANGUAGES[self.value]
        yield changed


class UserSettingDefaultsChanged(Event, frozen=True):
    """A default setting for new users changed."""

    kind: ClassVar[str] = "newcomer_setting"
    types: ClassVar[tuple[str, ...]] = ("realm_user_settings_defaults",)
    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    property: str
    value: Any

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "update", "property": self.property, "value": self.value}


class TimezoneChanged(UserEvent, frozen=True):
    kind: ClassVar[str] = "timezone"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    timezone: str

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        email = org.users[self.user_id].api_email(org.email_domain)
        yield events.types.people.user.person_updated(
            self.user_id, email=email, timezone=self.timezone
        )


class OwnNameChanged(UserEvent, frozen=True):
    kind: ClassVar[str] = "own_name"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    full_name: str

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield events.types.people.user.person_updated(self.user_id, full_name=self.full_name)


class AddressChanged(UserEvent, frozen=True):
    """A user's email address, or who may see it, changed.

    A listener receives the real address only if it became visible or invisible to them, or changed
    while visible. They receive the public address, and the avatar that may depend on it, if that
    changed.
    """

    kind: ClassVar[str] = "address"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    email: str
    email_before: str
    visibility: int
    visibility_before: int

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        known = org.users[self.user_id]
        now = _with(known, self.email, self.visibility)
        before = _with(known, self.email_before, self.visibility_before)
        viewer = org.users[to.user_id]
        shown = now.email if domain.people.user.may_see_email(viewer, now) else None
        shown_before = before.email if domain.people.user.may_see_email(viewer, before) else None
        if shown != shown_before:
            yield events.types.people.user.person_updated(self.user_id, delivery_email=shown)
        public = now.api_email(org.email_domain)
        if public != before.api_email(org.email_domain):
            yield events.types.people.user.person_updated(self.user_id, new_email=public)
            yield events.types.people.user.person_updated(
                self.user_id, **events.types.people.user.avatar_part(org, now)
            )


def _with(user: User, email: str, visibility: int) -> User:
    settings = user.settings | {"email_address_visibility": int(EmailVisibility(visibility))}
    return replace(user, email=email, settings=settings)
