"""Statuses: set by users, and by administrators for others; cleared when they end."""

from typing import Any

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.status import StatusObject
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.types.people.status import StatusChanged

ENDED_PER_BATCH = 100


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


def show(tx: Tx, viewer: User, user_id: int) -> StatusObject:
    user = actions.people.visible_users.active_human(tx, viewer, user_id)
    return storage.people.statuses.of_user(tx, user.id).shown(
        away=not user.prefers("presence_enabled")
    )


def change(tx: Tx, user: User, new: NewStatus) -> None:
    found = storage.people.find(tx, user.id)
    assert found is not None
    _change(tx, found, new)


def change_of_other(tx: Tx, administrator: User, user_id: int, new: NewStatus) -> None:
    """Change the status of another user. The caller checks the permission."""
    _change(tx, actions.people.visible_users.active_human(tx, administrator, user_id), new)


def clear_ended(tx: Tx) -> bool:
    """Clear statuses that have ended. Returns whether there may be more."""
    ended = storage.people.statuses.list_ended(tx, ENDED_PER_BATCH)
    for user_id in ended:
        parts = {"status_text": "", **domain.people.status.emoji_parts(None)}
        storage.people.statuses.change(tx, user_id, parts)
        user = storage.people.find(tx, user_id)
        if user is None or not user.is_active:  # its status is hidden
            continue
        events.log.announce(
            tx,
            StatusChanged(user_id, {**parts, "ends_at": None}),
            to=actions.people.known_people.audience_knowing(tx, user_id),
        )
    return len(ended) == ENDED_PER_BATCH


def _change(tx: Tx, user: User, new: NewStatus) -> None:
    parts: dict[str, Any] = {**_checked_parts(tx, new)}
    end = _checked_end(tx, new)
    known = storage.people.statuses.of_user(tx, user.id)
    if parts or new.ends_at is not None:
        status = storage.people.statuses.change(tx, user.id, parts | {"ends_at": end})
        if status.ends_at != known.ends_at:
            parts["ends_at"] = None if status.ends_at is None else int(status.ends_at)
    if new.away is not None:
        actions.personal.settings.change_presence(tx, user, not new.away)
    changes = parts if new.away is None else {"away": new.away} | parts
    events.log.announce(
        tx,
        StatusChanged(user.id, changes),
        to=actions.people.known_people.audience_knowing(tx, user.id),
    )


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
        parts |= domain.people.status.emoji_parts(None)
    elif new.emoji_name is not None:
        parts |= domain.people.status.emoji_parts(
            actions.messages.emoji.resolve(tx, new.emoji_name, new.emoji_code, new.reaction_type)
        )
    return parts


def _checked_end(tx: Tx, new: NewStatus) -> float | None:
    if not new.ends_at:
        return None
    if new.ends_at <= tx.now:
        raise BadRequest("ends_at must be in the future", problem="bad-value")
    return float(new.ends_at)
