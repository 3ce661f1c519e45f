"""Reactions."""

from typing import Annotated

from tertulia import actions
from tertulia.api.call import Call
from tertulia.http.parameter_rules import MaxLength

Word = Annotated[str, MaxLength(200)]


async def add(
    call: Call,
    message_id: int,
    *,
    emoji_name: Word,
    emoji_code: Word | None = None,
    reaction_type: Word | None = None,
) -> None:
    """Add a reaction to a message."""
    await call.db.write(
        actions.messages.reactions.add, call.user, message_id, emoji_name, emoji_code, reaction_type
    )


async def remove(
    call: Call,
    message_id: int,
    *,
    emoji_name: Word | None = None,
    emoji_code: Word | None = None,
    reaction_type: Word | None = None,
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
