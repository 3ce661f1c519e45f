"""User status: text and emoji, and when it ends."""

from typing import Annotated

from tertulia import actions, domain
from tertulia.actions.people.statuses import NewStatus
from tertulia.api.call import Call
from tertulia.domain.people.status import StatusObject
from tertulia.http.parameter_rules import AtLeast, AtMost, MaxLength, NoNul, Stripped
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import Away, UserId

EmojiText = Annotated[str, MaxLength(200), NoNul]
ReactionType = Annotated[
    EmojiText, Doc("The type of emoji: `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`.")
]
EmojiName = Annotated[EmojiText, Doc("The name of the emoji, such as `tada`.")]
EmojiCode = Annotated[EmojiText, Doc("The code that identifies the emoji.")]
StatusText = Annotated[
    str,
    Stripped,
    MaxLength(domain.limits.MAX_STATUS_LENGTH),
    NoNul,
    Doc("The status, up to 60 characters."),
]
StatusEnd = Annotated[
    int,
    AtLeast(0),
    AtMost(domain.limits.MAX_TIME),
    Doc(
        "When the server clears the status, in seconds since 1970; 0 for never. Not in"
        " Zulip. A new text or emoji without it has no end."
    ),
]


class OneStatus(Reply):
    status: Annotated[
        StatusObject,
        Doc("The status of the user: `status_text` and an emoji; `ends_at` if it has an end."),
    ]


async def fetch(call: Call, user_id: UserId) -> OneStatus:
    """Get the status of a user."""
    return OneStatus(status=await call.db.read(actions.people.statuses.show, call.user, user_id))


async def change(
    call: Call,
    *,
    status_text: StatusText | None = None,
    emoji_name: EmojiName | None = None,
    emoji_code: EmojiCode | None = None,
    reaction_type: ReactionType | None = None,
    away: Away | None = None,
    ends_at: StatusEnd | None = None,
) -> None:
    """Change the caller's status."""
    new = NewStatus(away, status_text, emoji_name, emoji_code, reaction_type, ends_at)
    await call.db.write(actions.people.statuses.change, call.user, new)


async def change_of_other(
    call: Call,
    user_id: UserId,
    *,
    status_text: StatusText | None = None,
    emoji_name: EmojiName | None = None,
    emoji_code: EmojiCode | None = None,
    reaction_type: ReactionType | None = None,
    ends_at: StatusEnd | None = None,
) -> None:
    """Change the status of another user; for administrators."""
    new = NewStatus(None, status_text, emoji_name, emoji_code, reaction_type, ends_at)
    await call.db.write(actions.people.statuses.change_of_other, call.user, user_id, new)
