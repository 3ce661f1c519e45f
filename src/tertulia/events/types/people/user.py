"""Users in API format, and their events."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.status import NO_STATUS, Status, StatusObject
from tertulia.domain.people.user import GRAVATAR, UPLOADED, Role, User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.channels.channel import PeersUpdate
from tertulia.events.types.event import Event, Revocation, UserEvent
from tertulia.events.types.people.status import StatusUpdate
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import (
    BotOwnerId,
    BotTypeNumber,
    DeliveryEmail,
    FieldId,
    FullName,
    IsActive,
    IsBot,
    PictureUrl,
    UserId,
    UserRole,
    VisibleEmail,
)

IsImportedStub = Annotated[bool, Doc("Whether the account was imported and has not been used yet.")]
IsGuest = Annotated[bool, Doc("Whether the user is a guest.")]
IsAdmin = Annotated[bool, Doc("Whether the user is an administrator or an owner.")]
IsOwner = Annotated[bool, Doc("Whether the user is an owner.")]
AvatarVersion = Annotated[int, Doc("A number that increases with every new picture.")]
DateJoined = Annotated[str, Doc("The time when the account was created, as ISO 8601.")]
Timezone = Annotated[str, Doc("The time zone, such as `Europe/Madrid`.")]
RenderedValue = Annotated[str, Doc("The value as HTML, for text fields.")]
Value = Annotated[str, Doc("The value.")]


class ProfileValue(msgspec.Struct):
    value: Value
    rendered_value: RenderedValue | UnsetType = UNSET


class UserObject(msgspec.Struct, kw_only=True):
    user_id: UserId
    email: VisibleEmail
    delivery_email: DeliveryEmail | None
    full_name: FullName
    date_joined: DateJoined
    is_active: IsActive | UnsetType = UNSET
    is_owner: IsOwner
    is_admin: IsAdmin
    is_guest: IsGuest
    is_bot: IsBot
    bot_type: BotTypeNumber | None
    bot_owner_id: BotOwnerId | UnsetType | None = UNSET
    is_system_bot: Annotated[bool | UnsetType, Doc("True for a system bot; otherwise missing.")] = (
        UNSET
    )
    role: UserRole
    timezone: Timezone | UnsetType = UNSET
    avatar_url: PictureUrl | None
    avatar_version: AvatarVersion
    is_imported_stub: IsImportedStub = False
    is_deleted: Annotated[bool | UnsetType, Doc("True for an erased user; otherwise missing.")] = (
        UNSET
    )
    profile_data: Annotated[
        dict[str, ProfileValue] | UnsetType,
        Doc("The values of profile fields, by the id of the field."),
    ] = UNSET


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
        for field_id, value in org.profiles.by_user.get(user.id, {}).items()
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


def status_object(user: User, status: Status) -> StatusObject:
    """A user's status in API format; empty for bots and deactivated users."""
    if user.is_bot or not user.is_active:
        return NO_STATUS
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


class PersonAdd(WireEvent, tag="realm_user"):
    op: Literal["add"]
    person: Annotated[UserObject, Doc("The new user.")]


class ChangedValue(msgspec.Struct, frozen=True):
    """A changed value of a profile field."""

    id: FieldId
    value: Value | None  # None: deleted
    rendered_value: RenderedValue | UnsetType = UNSET


class PersonChange(msgspec.Struct):
    """A user with the changed members."""

    user_id: UserId
    full_name: FullName | UnsetType = UNSET
    email: VisibleEmail | UnsetType = UNSET
    new_email: Annotated[str | UnsetType, Doc("The new email address.")] = UNSET
    delivery_email: DeliveryEmail | UnsetType | None = UNSET
    role: UserRole | UnsetType = UNSET
    timezone: Timezone | UnsetType = UNSET
    is_active: IsActive | UnsetType = UNSET
    avatar_source: Annotated[
        str | UnsetType,
        Doc("The source of the picture: `J` generated, `G` Gravatar, `U` uploaded."),
    ] = UNSET
    avatar_url: PictureUrl | UnsetType | None = UNSET
    avatar_url_medium: Annotated[str | UnsetType | None, Doc("The URL of the larger picture.")] = (
        UNSET
    )
    avatar_version: AvatarVersion | UnsetType = UNSET
    bot_owner_id: BotOwnerId | UnsetType | None = UNSET
    is_imported_stub: IsImportedStub | UnsetType = UNSET
    custom_profile_field: Annotated[
        ChangedValue | UnsetType, Doc("The changed profile field and its value.")
    ] = UNSET


class PersonUpdate(WireEvent, tag="realm_user"):
    op: Literal["update"]
    person: Annotated[PersonChange, Doc("The id of the user and the changed properties.")]


class UserAdded(UserEvent, frozen=True, kind="user_added", wires=(PersonAdd,)):
    """A user or bot was added to the organization."""

    unknown_to: list[int] = []

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        user, viewer = org.users[self.user_id], org.users[to.user_id]
        if to.user_id not in self.unknown_to:
            person = user_object(
                org, user, viewer, client_gravatar=to.options.client_gravatar, profile=True
            )
        elif to.options.capabilities.user_list_incomplete:
            return
        else:
            person = unknown_user_object(org, user)
        yield PersonAdd("add", person)


class UserActivityChanged(UserEvent, frozen=True, kind="user_activity", revokes_access=True):
    """An account was deactivated or reactivated.

    Its subscriptions and status stay stored, but are hidden while it is deactivated. Clients remove
    a deactivated account from all groups by themselves.
    """

    wires = (PersonUpdate, PeersUpdate, StatusUpdate)

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

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        if to.user_id in self.unknown_to:
            return
        yield person_updated(self.user_id, is_active=self.is_active)
        channel_ids = [
            channel_id
            for channel_id in org.subscriptions.by_user.get(self.user_id, ())
            if org.may_see(to.user_id, channel_id)
            and (to.options.capabilities.archived_channels or not org.channels[channel_id].archived)
        ]
        if channel_ids and to.user_id != self.user_id:
            op: Literal["peer_add", "peer_remove"] = "peer_add" if self.is_active else "peer_remove"
            yield PeersUpdate(op, channel_ids, [self.user_id])
        status = status_object(org.users[self.user_id], self.status or Status())
        if self.is_active and status != NO_STATUS:
            yield StatusUpdate(self.user_id, **asdict(status))


class RoleChanged(UserEvent, frozen=True, kind="role", wires=(PersonUpdate,)):
    """A user's role changed. They may now see other email addresses."""

    role: Role
    before: Role
    known: list[int] | None = None  # whom the user may know; None for all

    def undo(self, org: Organization) -> None:
        org.set_role(self.user_id, self.before)

    def apply(self, org: Organization) -> None:
        org.set_role(self.user_id, self.role)

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
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


class KeysReencrypted(Event, frozen=True, kind="keys_sealed_anew"):
    """The server's secret changed: every key has another fingerprint."""

    touches: ClassVar[Invalidated] = Invalidated(everything=True)


class PlaceholderClaimed(UserEvent, frozen=True, kind="stub_claimed", wires=(PersonUpdate,)):
    """An imported user has logged in for the first time."""

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield person_updated(self.user_id, is_imported_stub=False)


def person_updated(user_id: int, **parts: Any) -> PersonUpdate:
    """The wire event of a changed user."""
    return PersonUpdate("update", PersonChange(user_id, **parts))


class AvatarChanged(UserEvent, frozen=True, kind="avatar", wires=(PersonUpdate,)):
    """A user's avatar changed."""

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        user = org.users[self.user_id]
        yield person_updated(user.id, **avatar_part(org, user))


class KeyChanged(UserEvent, frozen=True, kind="key_changed", revokes_access=True):
    """An API key was replaced: every server must forget the old one. Sent to no client."""

    def revocation(self) -> Revocation:
        return Revocation(queues_of=[self.user_id])


class ProfileChanged(Event, frozen=True, kind="profile", wires=(PersonUpdate,)):
    """A user's profile changed. There is one wire event per field."""

    user_id: int
    values: list[ChangedValue]

    def touched(self) -> Invalidated:
        return Invalidated(profiles={self.user_id})

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        for value in self.values:
            yield person_updated(self.user_id, custom_profile_field=value)
