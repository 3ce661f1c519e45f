"""User status: text and emoji, and when it ends."""

from typing import Annotated, Any

from tertulia import actions, domain
from tertulia.actions.people.statuses import NewStatus
from tertulia.api.call import Call
from tertulia.domain.later.scheduled import LAST_MOMENT
from tertulia.http.parameter_rules import AtLeast, AtMost, MaxLength, NoNul, Stripped
from tertulia.http.replies import Reply

EmojiText = Annotated[str, MaxLength(200), NoNul]
StatusText = Annotated[str, Stripped, MaxLength(domain.limits.MAX_STATUS_LENGTH), NoNul]
StatusEnd = Annotated[int, AtLeast(0), AtMost(LAST_MOMENT)]


class OneStatus(Reply):
    status: dict[str, Any]


async def fetch(call: Call, user_id: int) -> OneStatus:
    """Get the status of a user."""
    return OneStatus(status=await call.db.read(actions.people.statuses.show, call.user, user_id))


async def change(
    call: Call,
    *,
    status_text: StatusText | None = None,
    emoji_name: EmojiText | None = None,
    emoji_code: EmojiText | None = None,
    reaction_type: EmojiText | None = None,
    away: bool | None = None,
    ends_at: StatusEnd | None = None,
) -> None:
    """Change the caller's status."""
    new = NewStatus(away, status_text, emoji_name, emoji_code, reaction_type, ends_at)
    await call.db.write(actions.people.statuses.change, call.user, new)


async def change_of_other(
    call: Call,
    user_id: int,
    *,
    status_text: StatusText | None = None,
    emoji_name: EmojiText | None = None,
    emoji_code: EmojiText | None = None,
    reaction_type: EmojiText | None = None,
    ends_at: StatusEnd | None = None,
) -> None:
    """Change the status of another user; for administrators."""
    new = NewStatus(None, status_text, emoji_name, emoji_code, reaction_type, ends_at)
    await call.db.write(actions.people.statuses.change_of_other, call.user, user_id, new)
