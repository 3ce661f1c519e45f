"""The events that tell of people who come into a guest's sight, or leave it."""

from collections.abc import Iterable
from typing import Any, ClassVar

from msgspec.structs import replace

from tertulia.domain.acquaintance import UNKNOWN_NAME
from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire
from tertulia.events.types.users import status_told, user_object
from tertulia.storage import statuses, users
from tertulia.storage.tx import Tx


class PeopleUncovered(Event, frozen=True):
    """Somebody may know some people from now on, or no longer."""

    kind: ClassVar[str] = "people_uncovered"
    types: ClassVar[tuple[str, ...]] = ("realm_user", "user_status")

    shown: list[int]
    hidden: list[int]
    said: dict[int, dict[str, Any]] = {}  # what those who are shown say about themselves

    def completed(self, tx: Tx) -> "PeopleUncovered":
        people = users.find_many(tx, self.shown) if self.shown else []
        found = {user.id: status_told(user, statuses.of_user(tx, user.id)) for user in people}
        return replace(self, said={id_: parts for id_, parts in found.items() if parts})

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        for user_id in self.hidden:
            person = {"user_id": user_id, "full_name": UNKNOWN_NAME}
            yield {"type": "realm_user", "op": "remove", "person": person}
        for user_id in self.shown:
            shown = user_object(
                org,
                org.users[user_id],
                org.users[to.user_id],
                client_gravatar=to.options.client_gravatar,
                profile=True,
            )
            yield {"type": "realm_user", "op": "add", "person": shown}
            if user_id in self.said:
                yield {"type": "user_status", "user_id": user_id, **self.said[user_id]}


class ConversationBegun(Event, frozen=True):
    """People talk directly for the first time, a guest among them. No client is told of that."""

    kind: ClassVar[str] = "conversation_begun"

    member_ids: list[int]

    def move(self, org: Organization) -> None:
        org.talk(self.member_ids)
