"""Reactions."""

from typing import Annotated

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.http.parameter_rules import Example, MaxLength, NoNul
from tertulia.wire import Doc
from tertulia.wire_fields import MessageId

Word = Annotated[str, MaxLength(200)]
ReactionType = Annotated[
    Word, Doc("The type of emoji: `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`.")
]
EmojiName = Annotated[Word, Doc("The name of the emoji, such as `tada`.", example="tada")]
EmojiCode = Annotated[Word, Doc("The code that identifies the emoji.")]


async def add(
    call: Call,
    message_id: MessageId,
    *,
    emoji_name: EmojiName,
    emoji_code: EmojiCode | None = None,
    reaction_type: ReactionType | None = None,
) -> None:
    """Add a reaction to a message."""
    await call.db.write(
        actions.messages.reactions.add, call.user, message_id, emoji_name, emoji_code, reaction_type
    )


async def remove(
    call: Call,
    message_id: MessageId,
    *,
    emoji_name: Annotated[EmojiName | None, Example("tada")] = None,
    emoji_code: EmojiCode | None = None,
    reaction_type: ReactionType | None = None,
) -> None:
    """Remove a reaction from a message."""
    await call.db.write(
        actions.messages.reactions.remove,
        call.user,
        message_id,
        emoji_name,
        emoji_code,
        reaction_type,
    )


Content = Annotated[
    str,
    NoNul(),
    MaxLength(domain.limits.MAX_MESSAGE_LENGTH),
    Doc("The content, as JSON in a string.", example="Soup is on!"),
]


async def submit(
    call: Call,
    *,
    message_id: MessageId,
    msg_type: Annotated[str, MaxLength(100), Doc("Always `widget`.", example="widget")],
    content: Annotated[Content, Example('{"type": "vote", "key": "canned,0", "vote": 1}')],
) -> None:
    """Vote in a poll, add an option, change a to-do list."""
    await call.db.write(actions.messages.widgets.submit, call.user, message_id, msg_type, content)
