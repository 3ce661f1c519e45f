"""Events of users who become visible or invisible to a guest."""

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec
from msgspec.structs import asdict, replace

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.status import NO_STATUS, Status
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.channels.channel import PeersUpdate
from tertulia.events.types.event import Event
from tertulia.events.types.groups import MembersUpdate
from tertulia.events.types.people.status import StatusUpdate
from tertulia.events.types.people.user import PersonAdd, status_object, user_object
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import FullName, UserId


class HiddenPerson(msgspec.Struct):
    user_id: UserId
    full_name: FullName


class PersonRemove(WireEvent, tag="realm_user"):
    op: Literal["remove"]
    person: Annotated[HiddenPerson, Doc("The user who is no longer visible.")]


class PeopleBecameVisible(Event, frozen=True, kind="people_uncovered"):
    """Users became visible or invisible to another user.

    With them, their group memberships and their subscriptions to channels that both can see.
    """

    wires = (PersonAdd, PersonRemove, MembersUpdate, PeersUpdate, StatusUpdate)

    shown: list[int]
    hidden: list[int]
    groups: dict[int, list[int]] = {}  # by group id
    # Channels that the viewer also gains or loses, with events of their own.
    other_channels: list[int] = []
    # Of users who became visible; "said" is the stored name.
    statuses: dict[int, Status] = msgspec.field(name="said", default_factory=dict)

    def completed(self, tx: Tx) -> "PeopleBecameVisible":
        return replace(self, statuses=storage.people.statuses.of_users(tx, self.shown))

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        yield from self._memberships(org, to, self.hidden, "remove_members", "peer_remove")
        for user_id in self.hidden:
            yield PersonRemove("remove", HiddenPerson(user_id, UNKNOWN_NAME))
        for user_id in self.shown:
            user, viewer = org.shown_user(user_id), org.users[to.user_id]
            person = user_object(
                org, user, viewer, client_gravatar=to.options.client_gravatar, profile=True
            )
            yield PersonAdd("add", person)
            status = status_object(user, self.statuses.get(user_id, Status()))
            if status != NO_STATUS:
                yield StatusUpdate(user_id, **asdict(status))
        yield from self._memberships(org, to, self.shown, "add_members", "peer_add")

    def _memberships(
        self,
        org: Organization,
        to: Listener,
        user_ids: list[int],
        in_groups: Literal["add_members", "remove_members"],
        in_channels: Literal["peer_add", "peer_remove"],
    ) -> Iterable[WireEvent]:
        """Membership events. Subscribers of a common channel know each other anyway."""
        for group_id, listed in self.groups.items():
            members = [user_id for user_id in listed if user_id in user_ids]
            if members:
                yield MembersUpdate(in_groups, group_id, members)
        for user_id in user_ids:
            channel_ids = [
                channel_id
                for channel_id in org.subscriptions.by_user.get(user_id, ())
                if channel_id not in self.other_channels
                and org.may_see(to.user_id, channel_id)
                and not org.subscriptions.includes(to.user_id, channel_id)
                and user_id not in org.accounts.inactive
            ]
            if channel_ids:
                yield PeersUpdate(in_channels, channel_ids, [user_id])


class DirectConversationStarted(Event, frozen=True, kind="conversation_begun"):
    """Users exchange direct messages for the first time, a guest among them. Sent to no client."""

    member_ids: list[int]
    news: dict[int, list[int]] = {}  # by guest: the new partners

    def undo(self, org: Organization) -> None:
        for guest_id, others in self.news.items():
            org.partners[guest_id] = org.partners.get(guest_id, set()).difference(others)

    def apply(self, org: Organization) -> None:
        org.add_conversation(self.member_ids)
