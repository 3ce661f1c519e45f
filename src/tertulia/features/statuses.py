"""Statuses of users: a short text and an emoji. Users set them, and administrators those of others;
the server clears them when they end.

Events about users have the status as well: the core reads it from `storage/people/statuses.py`.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.emoji import UNICODE, Emoji
from tertulia.domain.people.status import StatusObject
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.types.people.status import StatusChanged
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import AtLeast, AtMost, Example, MaxLength, NoNul, Stripped
from tertulia.http.replies import Reply
from tertulia.jobs.runner import due_job, for_each
from tertulia.wire import Doc
from tertulia.wire_fields import Away, UserId

ENDED_PER_BATCH = 100

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


class NewStatus(msgspec.Struct, frozen=True):
    """The requested changes; None keeps a part, an empty text clears it.

    A new text or emoji without `ends_at` has no end: other clients do not know of ends.
    """

    away: bool | None = None
    status_text: str | None = None
    emoji_name: str | None = None
    emoji_code: str | None = None
    reaction_type: str | None = None
    ends_at: int | None = None  # 0: no end


# --- actions ---


def show(tx: Tx, viewer: User, user_id: int) -> StatusObject:
    user = actions.people.visible_users.active_human(tx, viewer, user_id)
    return storage.people.statuses.of_user(tx, user.id).shown(
        away=not user.prefers("presence_enabled")
    )


def set_own(tx: Tx, user: User, new: NewStatus) -> None:
    found = storage.people.users.find(tx, user.id)
    assert found is not None
    _set(tx, found, new)


def set_of_other(tx: Tx, administrator: User, user_id: int, new: NewStatus) -> None:
    """Set the status of another user. The caller checks the permission."""
    _set(tx, actions.people.visible_users.active_human(tx, administrator, user_id), new)


def _set(tx: Tx, user: User, new: NewStatus) -> None:
    parts: dict[str, Any] = {**_checked_parts(tx, new)}
    end = _checked_end(tx, new)
    known = storage.people.statuses.of_user(tx, user.id)
    if parts or new.ends_at is not None:
        status = storage.people.statuses.change(tx, user.id, parts | {"ends_at": end})
        if status.ends_at != known.ends_at:
            parts["ends_at"] = None if status.ends_at is None else int(status.ends_at)
    if new.away is not None:
        actions.personal.settings.change_presence(tx, user, not new.away)
    _announce(tx, user.id, parts if new.away is None else {"away": new.away} | parts)


def _checked_parts(tx: Tx, new: NewStatus) -> dict[str, str]:
    """Clients rely on the order of the checks."""
    if new.away is None and new.status_text is None and new.emoji_name is None:
        if new.ends_at is not None:
            return {}
        raise BadRequest("Client did not pass any new values.")
    if new.emoji_name is None and not (new.emoji_code is None and new.reaction_type is None):
        raise BadRequest(
            "Client must pass emoji_name if they pass either emoji_code or reaction_type."
        )
    parts: dict[str, str] = {}
    if new.status_text is not None:
        domain.names.check(new.status_text, "status_text")
        parts["status_text"] = new.status_text
    if new.emoji_name == "":
        parts |= _emoji_parts(None)
    elif new.emoji_name is not None:
        parts |= _emoji_parts(
            actions.messages.emoji.resolve(tx, new.emoji_name, new.emoji_code, new.reaction_type)
        )
    return parts


def _checked_end(tx: Tx, new: NewStatus) -> float | None:
    if not new.ends_at:
        return None
    if new.ends_at <= tx.now:
        raise BadRequest("ends_at must be in the future", problem="bad-value")
    return float(new.ends_at)


def _emoji_parts(emoji: Emoji | None) -> dict[str, str]:
    """The parts of a status that an emoji sets; None clears it."""
    if emoji is None:
        return {"emoji_name": "", "emoji_code": "", "reaction_type": UNICODE}
    return {"emoji_name": emoji.name, "emoji_code": emoji.code, "reaction_type": emoji.type}


def _announce(tx: Tx, user_id: int, changes: dict[str, Any]) -> None:
    knowing = actions.people.known_people.audience_knowing(tx, user_id)
    events.log.announce(tx, StatusChanged(user_id, changes), to=knowing)


# --- endpoints ---


class OneStatus(Reply):
    status: Annotated[
        StatusObject,
        Doc("The status of the user: `status_text` and an emoji; `ends_at` if it has an end."),
    ]


async def fetch(call: Call, user_id: UserId) -> OneStatus:
    """Get the status of a user."""
    return OneStatus(status=await call.db.read(show, call.user, user_id))


async def change(
    call: Call,
    *,
    status_text: Annotated[StatusText | None, Example("At the beach")] = None,
    emoji_name: Annotated[EmojiName | None, Example("beach")] = None,
    emoji_code: EmojiCode | None = None,
    reaction_type: ReactionType | None = None,
    away: Away | None = None,
    ends_at: StatusEnd | None = None,
) -> None:
    """Change the caller's status."""
    new = NewStatus(away, status_text, emoji_name, emoji_code, reaction_type, ends_at)
    await call.db.write(set_own, call.user, new)


async def change_of_other(
    call: Call,
    user_id: UserId,
    *,
    status_text: Annotated[StatusText | None, Example("At the beach")] = None,
    emoji_name: Annotated[EmojiName | None, Example("beach")] = None,
    emoji_code: EmojiCode | None = None,
    reaction_type: ReactionType | None = None,
    ends_at: StatusEnd | None = None,
) -> None:
    """Change the status of another user; for administrators."""
    new = NewStatus(None, status_text, emoji_name, emoji_code, reaction_type, ends_at)
    await call.db.write(set_of_other, call.user, user_id, new)


# --- the end of a status ---

ENDED = "SELECT 1 FROM user_status WHERE ends_at <= :now"


def clear_ended(tx: Tx) -> bool:
    """Clear statuses that have ended. Returns whether there may be more."""
    ended = tx.column(
        "SELECT user_id FROM user_status WHERE realm_id = :realm AND ends_at <= :now"
        " ORDER BY ends_at, user_id LIMIT :limit",
        now=tx.now,
        limit=ENDED_PER_BATCH,
    )
    for user_id in ended:
        parts = {"status_text": "", **_emoji_parts(None)}
        storage.people.statuses.change(tx, user_id, parts)
        user = storage.people.users.find(tx, user_id)
        if user is not None and user.is_active:  # otherwise the status is hidden
            _announce(tx, user_id, {**parts, "ends_at": None})
    return len(ended) == ENDED_PER_BATCH


def _realms_with_ended(tx: Tx) -> list[int]:
    return tx.column("SELECT DISTINCT realm_id FROM user_status WHERE ends_at <= :now", now=tx.now)


async def clear_all_ended(database: Database) -> None:
    async def clear(realm_id: int) -> None:
        while await database.of(realm_id).write(clear_ended):
            pass

    await for_each(await database.of(0).query(_realms_with_ended), clear)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for row in export.rows("user_status"):
        yield {
            "user_profile": row["user_id"],
            "status_text": row["status_text"],
            "emoji_name": row["emoji_name"],
            "emoji_code": row["emoji_code"],
            "reaction_type": row["reaction_type"],
        }


FEATURE = Feature(
    shows_ids={"members": ["GET /users/{user_id}/status"]},
    exports={"zerver_userstatus": _exported},
    jobs=lambda services: [
        due_job("ended statuses", 1, partial(clear_all_ended, services.database), ENDED)
    ],
)
