"""The event of a reaction."""

from collections.abc import Collection, Iterable
from typing import Annotated, Literal

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import MessageEvent
from tertulia.events.types.messages import message
from tertulia.events.types.messages.message import Participant
from tertulia.wire import Doc, EmojiType, WireEvent
from tertulia.wire_fields import EmojiCode, EmojiName, MessageId, UserId


class ReactionChanged(MessageEvent, frozen=True, kind="reaction", invalidates_permits=False):
    """A user added or removed a reaction."""

    op: Literal["add", "remove"]
    user_id: int
    message_id: int
    emoji_name: str
    emoji_code: str
    reaction_type: str

    class Wire(WireEvent, tag="reaction"):
        op: Literal["add", "remove"]
        user_id: UserId
        user: Annotated[Participant, Doc("The user.")]
        message_id: MessageId
        emoji_name: EmojiName
        emoji_code: EmojiCode
        reaction_type: Annotated[
            EmojiType,
            Doc("The type of emoji: `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`."),
        ]

    def rewritten(self) -> Collection[int]:
        return [self.message_id]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(
            self.op,
            self.user_id,
            message.reacting(org, self.user_id),
            self.message_id,
            self.emoji_name,
            self.emoji_code,
            self.reaction_type,
        )
