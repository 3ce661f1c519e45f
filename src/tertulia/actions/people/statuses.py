"""Statuses: set by users, and by administrators for others."""

from typing import Any

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.types.people.status import StatusChanged


class NewStatus(msgspec.Struct, frozen=True):
    """The requested changes; None keeps a part, an empty text clears it."""

    away: bool | None = None
    status_text: str | None = None
    emoji_name: str | None = None
    emoji_code: str | None = None
    reaction_type: str | None = None


def show(tx: Tx, viewer: User, user_id: int) -> dict[str, Any]:
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


def _change(tx: Tx, user: User, new: NewStatus) -> None:
    parts = _checked_parts(tx, new)
    if parts:
        storage.people.statuses.change(tx, user.id, parts)
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
