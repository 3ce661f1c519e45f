"""The events that tell of people who come into a guest's sight, or leave it."""

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from tertulia import events, storage
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.status import Status
from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire
from tertulia.storage.database.tx import Tx


class PeopleUncovered(Event, frozen=True):
    """Somebody may know some people from now on, or no longer."""

    kind: ClassVar[str] = "people_uncovered"
    types: ClassVar[tuple[str, ...]] = ("realm_user", "user_status")

    shown: list[int]
    hidden: list[int]
    said: dict[int, Status] = {}  # what those who are shown say about themselves

    def completed(self, tx: Tx) -> "PeopleUncovered":
        return replace(self, said=storage.people.statuses.of_users(tx, self.shown))

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        for user_id in self.hidden:
            nobody = {"user_id": user_id, "full_name": UNKNOWN_NAME}
            yield {"type": "realm_user", "op": "remove", "person": nobody}
        for user_id in self.shown:
            user, viewer = org.users[user_id], org.users[to.user_id]
            person = events.types.people.user.user_object(
                org, user, viewer, client_gravatar=to.options.client_gravatar, profile=True
            )
            yield {"type": "realm_user", "op": "add", "person": person}
            told = events.types.people.user.status_told(user, self.said.get(user_id, Status()))
            if told:
                yield {"type": "user_status", "user_id": user_id, **told}


class ConversationBegun(Event, frozen=True):
    """People talk directly for the first time, a guest among them. No client is told of that."""

    kind: ClassVar[str] = "conversation_begun"

    member_ids: list[int]

    def move(self, org: Organization) -> None:
        org.talk(self.member_ids)
