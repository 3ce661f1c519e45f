"""Users in API format, and their events."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.status import Status
from tertulia.domain.people.user import GRAVATAR, UPLOADED, Role, User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Revocation, UserEvent, Wire


class ProfileValue(msgspec.Struct):
    value: str
    rendered_value: str | UnsetType = UNSET


class UserObject(msgspec.Struct, kw_only=True):
    user_id: int
    email: str
    delivery_email: str | None
    full_name: str
    date_joined: str
    is_active: bool | UnsetType = UNSET
    is_owner: bool
    is_admin: bool
    is_guest: bool
    is_bot: bool
    bot_type: int | None
    bot_owner_id: int | UnsetType | None = UNSET
    is_system_bot: bool | UnsetType = UNSET
    role: int
    timezone: str | UnsetType = UNSET
    avatar_url: str | None
    avatar_version: int
    is_imported_stub: bool = False
    is_deleted: bool | UnsetType = UNSET
    profile_data: dict[str, ProfileValue] | UnsetType = UNSET


def user_object(
    org: Organization,
    user: User,
    viewer: User | None,
    *,
    client_gravatar: bool = True,
    profile: bool = False,
    with_activity: bool = True,
) -> UserObject:
    """A user as another sees them; `viewer` is None without a login."""
    shown = UserObject(
        user_id=user.id,
        email=user.api_email(org.email_domain),
        delivery_email=user.email if domain.people.user.may_see_email(viewer, user) else None,
        full_name=user.full_name,
        date_joined=joined_date(user, exact=viewer is not None),
        is_owner=user.is_owner,
        is_admin=user.is_admin,
        is_guest=user.is_guest,
        is_bot=user.is_bot,
        bot_type=None if user.bot_type is None else int(user.bot_type),
        role=int(user.role),
        is_imported_stub=user.is_imported_stub,
        avatar_url=avatar_url(
            org,
            user,
            client_gravatar=client_gravatar and domain.people.user.may_see_email(viewer, user),
        ),
        avatar_version=user.avatar_version,
    )
    if with_activity:
        shown.is_active = user.is_active
    if viewer is not None:
        shown.timezone = user.timezone
    if user.is_bot:
        shown.bot_owner_id = user.bot_owner_id
    elif profile:
        shown.profile_data = profile_data(org, user)
    if user.is_system_bot:
        shown.is_system_bot = True
    if user.is_erased:
        shown.is_deleted = True
    return shown


def unknown_user_object(org: Organization, user: User) -> UserObject:
    """Compat: clients that need every user get a placeholder for those they may not know."""
    return UserObject(
        user_id=user.id,
        email=user.placeholder_email(org.email_domain),
        delivery_email=None,
        full_name=UNKNOWN_NAME,
        date_joined=_minute(org.realm.created_at),
        is_active=True,
        is_owner=False,
        is_admin=False,
        is_guest=False,
        is_bot=False,
        bot_type=None,
        role=int(Role.MEMBER),
        timezone="",
        avatar_url=unknown_avatar_url(org),
        avatar_version=1,
        profile_data={},
    )


def unknown_avatar_url(org: Organization) -> str:
    """The shared avatar of users whom the viewer may not know."""
    return f"/user_avatars/{org.realm.id}/0.png?v=1"


def profile_data(org: Organization, user: User) -> dict[str, ProfileValue]:
    return {
        str(field_id): ProfileValue(value.text, UNSET if value.rendered is None else value.rendered)
        for field_id, value in org.profiles.get(user.id, {}).items()
    }


def avatar_url(
    org: Organization, user: User, *, client_gravatar: bool, medium: bool = False
) -> str | None:
    """The URL of the avatar; None makes the client ask the Gravatar provider itself.

    A client can do so only with the real address, so `client_gravatar` is false for others. The
    server uses the public address: a hash of a hidden one would confirm a guess of it.
    """
    if user.avatar_source == GRAVATAR:
        if client_gravatar:
            return None
        return _gravatar_url(user.api_email(org.email_domain), user.avatar_version, medium)
    name = user.avatar_name if user.avatar_source == UPLOADED else user.id
    size = "-medium" if medium else ""
    return f"/user_avatars/{user.realm_id}/{name}{size}.png?v={user.avatar_version}"


def _gravatar_url(email: str, version: int, medium: bool) -> str:
    digest = hashlib.md5(email.lower().encode(), usedforsecurity=False).hexdigest()
    size = "&s=500" if medium else ""
    return f"https://secure.gravatar.com/avatar/{digest}?d=identicon&version={version}{size}"


def joined_date(user: User, *, exact: bool) -> str:
    if exact:
        return _minute(user.joined_at)
    return datetime.fromtimestamp(user.joined_at, UTC).date().isoformat()


def _minute(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="minutes")


def status_fields(user: User, status: Status) -> dict[str, Any]:
    """A user's status in API format; empty for bots and deactivated users."""
    if user.is_bot or not user.is_active:
        return {}
    return status.shown(away=not user.prefers("presence_enabled"))


def avatar_part(org: Organization, user: User) -> dict[str, Any]:
    """The avatar in an event: always with a URL.

    Compat: clients take a missing URL for "unchanged", even those that support Gravatar.
    """
    return {
        "avatar_source": user.avatar_source,
        "avatar_url": avatar_url(org, user, client_gravatar=False),
        "avatar_url_medium": avatar_url(org, user, client_gravatar=False, medium=True),
        "avatar_version": user.avatar_version,
    }


class UserAdded(UserEvent, frozen=True):
    """A user or bot was added to the organization."""

    kind: ClassVar[str] = "user_added"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    unknown_to: list[int] = []

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        user, viewer = org.users[self.user_id], org.users[to.user_id]
        if to.user_id not in self.unknown_to:
            person = user_object(
                org, user, viewer, client_gravatar=to.options.client_gravatar, profile=True
            )
        elif to.options.capabilities.user_list_incomplete:
            return
        else:
            person = unknown_user_object(org, user)
        yield {"type": "realm_user", "op": "add", "person": person}


class UserActivityChanged(UserEvent, frozen=True):
    """An account was deactivated or reactivated.

    Its subscriptions and status stay stored, but are hidden while it is deactivated. Clients remove
    a deactivated account from all groups by themselves.
    """

    kind: ClassVar[str] = "user_activity"
    revokes_access: ClassVar[bool] = True
    types: ClassVar[tuple[str, ...]] = ("realm_user", "subscription", "user_status")

    is_active: bool
    unknown_to: list[int] = []
    status: Status | None = msgspec.field(name="said", default=None)  # "said" is stored

    def completed(self, tx: Tx) -> "UserActivityChanged":
        if not self.is_active:
            return self
        return replace(self, status=storage.people.statuses.of_user(tx, self.user_id))

    def undo(self, org: Organization) -> None:
        org.set_active(self.user_id, is_active=not self.is_active)

    def apply(self, org: Organization) -> None:
        org.set_active(self.user_id, is_active=self.is_active)

    def revocation(self) -> Revocation:
        return Revocation() if self.is_active else Revocation(queues_of=[self.user_id])

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        if to.user_id in self.unknown_to:
            return
        yield person_updated(self.user_id, is_active=self.is_active)
        channel_ids = [
            channel_id
            for channel_id in org.subscribed.get(self.user_id, ())
            if org.may_see(to.user_id, channel_id)
            and (to.options.capabilities.archived_channels or not org.channels[channel_id].archived)
        ]
        if channel_ids and to.user_id != self.user_id:
            yield {
                "type": "subscription",
                "op": "peer_add" if self.is_active else "peer_remove",
                "stream_ids": channel_ids,
                "user_ids": [self.user_id],
            }
        fields = status_fields(org.users[self.user_id], self.status or Status())
        if self.is_active and fields:
            yield {"type": "user_status", "user_id": self.user_id, **fields}


class RoleChanged(UserEvent, frozen=True):
    """A user's role changed. They may now see other email addresses."""

    kind: ClassVar[str] = "role"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    role: Role
    before: Role
    known: list[int] | None = None  # whom the user may know; None for all

    def undo(self, org: Organization) -> None:
        org.set_role(self.user_id, self.before)

    def apply(self, org: Organization) -> None:
        org.set_role(self.user_id, self.role)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield person_updated(self.user_id, role=int(self.role))
        if to.user_id != self.user_id:
            return
        for user in org.users.values():
            if self.known is not None and user.id not in self.known:
                continue
            shown_to = domain.people.user.email_shown_to(user)
            sees, saw = self.role <= shown_to, self.before <= shown_to
            if sees != saw and user.id != self.user_id:
                yield person_updated(user.id, delivery_email=user.email if sees else None)


class KeysReencrypted(Event, frozen=True):
    """The server's secret changed: every key has another fingerprint."""

    kind: ClassVar[str] = "keys_sealed_anew"
    touches: ClassVar[Invalidated] = Invalidated(everything=True)


class PlaceholderClaimed(UserEvent, frozen=True):
    """An imported user has logged in for the first time."""

    kind: ClassVar[str] = "stub_claimed"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield person_updated(self.user_id, is_imported_stub=False)


def person_updated(user_id: int, **parts: Any) -> Wire:
    """The wire event of a changed user."""
    return {"type": "realm_user", "op": "update", "person": {"user_id": user_id, **parts}}


class AvatarChanged(UserEvent, frozen=True):
    """A user's avatar changed."""

    kind: ClassVar[str] = "avatar"
    types: ClassVar[tuple[str, ...]] = ("realm_user",)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        user = org.users[self.user_id]
        yield person_updated(user.id, **avatar_part(org, user))


class KeyChanged(UserEvent, frozen=True):
    """An API key was replaced: every server must forget the old one. Sent to no client."""

    kind: ClassVar[str] = "key_changed"
    revokes_access: ClassVar[bool] = True

    def revocation(self) -> Revocation:
        return Revocation(queues_of=[self.user_id])
