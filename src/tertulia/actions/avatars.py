"""Pictures of people and bots: uploaded, or what the organization gives those without one."""

import secrets

from tertulia.actions import known_people, rights
from tertulia.domain.images import Avatar
from tertulia.domain.users import UPLOADED, User
from tertulia.errors import BadRequest
from tertulia.events.log import announce
from tertulia.events.types.users import AvatarChanged
from tertulia.storage import avatars, realms, users
from tertulia.storage.tx import Tx


def upload_own(tx: Tx, user: User, avatar: Avatar) -> None:
    _check_allowed(tx, user)
    put(tx, user.id, avatar)


def delete_own(tx: Tx, user: User) -> None:
    _check_allowed(tx, user)
    remove(tx, user.id)


def put(tx: Tx, user_id: int, avatar: Avatar) -> None:
    """Whether this may be done is for the caller to know."""
    name = secrets.token_hex(20)
    avatars.put(tx, user_id, name, avatar.picture, avatar.medium)
    avatars.note_change(tx, user_id, UPLOADED, name)
    announce(tx, AvatarChanged(user_id), to=known_people.knowing(tx, user_id))


def remove(tx: Tx, user_id: int) -> None:
    """Go back to what the organization gives everybody; who is there already stays there."""
    user, usual = users.find(tx, user_id), realms.current(tx).setting("default_avatar_source")
    if user is None or user.avatar_source == usual:
        return
    avatars.remove(tx, user_id)
    avatars.note_change(tx, user_id, usual, None)
    announce(tx, AvatarChanged(user_id), to=known_people.knowing(tx, user_id))


def _check_allowed(tx: Tx, user: User) -> None:
    disabled = realms.current(tx).setting("avatar_changes_disabled")
    if disabled and not rights.acting(tx, user).is_admin:
        raise BadRequest("Avatar changes are disabled in this organization.")
