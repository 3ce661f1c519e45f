"""The event of a reaction."""

from collections.abc import Collection, Iterable
from typing import ClassVar, Literal

from tertulia import events
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import MessageEvent, Wire


class ReactionChanged(MessageEvent, frozen=True):
    """A user added or removed a reaction."""

    kind: ClassVar[str] = "reaction"
    types: ClassVar[tuple[str, ...]] = ("reaction",)
    invalidates_permits: ClassVar[bool] = False

    op: Literal["add", "remove"]
    user_id: int
    message_id: int
    emoji_name: str
    emoji_code: str
    reaction_type: str

    def rewritten(self) -> Collection[int]:
        return [self.message_id]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {
            "op": self.op,
            "user_id": self.user_id,
            "user": events.types.messages.message.reacting(org, self.user_id),
            "message_id": self.message_id,
            "emoji_name": self.emoji_name,
            "emoji_code": self.emoji_code,
            "reaction_type": self.reaction_type,
        }
