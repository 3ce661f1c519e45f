"""Status: what people say about themselves, and administrators about others."""

from dataclasses import dataclass
from typing import Any

from tertulia.actions import emoji, known_people, people, settings
from tertulia.domain.status import emoji_parts
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.events.log import announce
from tertulia.events.types.status import StatusChanged
from tertulia.storage import statuses, users
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class NewStatus:
    """What is to change; None leaves a part as it is, an empty text clears it."""

    away: bool | None = None
    status_text: str | None = None
    emoji_name: str | None = None
    emoji_code: str | None = None
    reaction_type: str | None = None


def show(tx: Tx, viewer: User, user_id: int) -> dict[str, Any]:
    user = people.active_human(tx, viewer, user_id)
    return statuses.of_user(tx, user.id).shown(away=not user.prefers("presence_enabled"))


def change(tx: Tx, user: User, new: NewStatus) -> None:
    """Change one's own status."""
    found = users.find(tx, user.id)
    assert found is not None
    _change(tx, found, new)


def change_of_other(tx: Tx, administrator: User, user_id: int, new: NewStatus) -> None:
    """Change the status of somebody else; who may is for the caller to have checked."""
    _change(tx, people.active_human(tx, administrator, user_id), new)


def _change(tx: Tx, user: User, new: NewStatus) -> None:
    parts = _checked_parts(tx, new)
    if parts:
        statuses.change(tx, user.id, parts)
    if new.away is not None:
        settings.change_presence(tx, user, not new.away)
    said = parts if new.away is None else {"away": new.away} | parts
    announce(tx, StatusChanged(user.id, said), to=known_people.knowing(tx, user.id))


def _checked_parts(tx: Tx, new: NewStatus) -> dict[str, str]:
    """The checks come in the order in which clients know them."""
    if new.away is None and new.status_text is None and new.emoji_name is None:
        raise BadRequest("Client did not pass any new values.")
    if new.emoji_name is None and not (new.emoji_code is None and new.reaction_type is None):
        raise BadRequest(
            "Client must pass emoji_name if they pass either emoji_code or reaction_type."
        )
    parts: dict[str, str] = {}
    if new.status_text is not None:
        parts["status_text"] = new.status_text
    if new.emoji_name == "":
        parts |= emoji_parts(None)
    elif new.emoji_name is not None:
        parts |= emoji_parts(emoji.resolve(tx, new.emoji_name, new.emoji_code, new.reaction_type))
    return parts
