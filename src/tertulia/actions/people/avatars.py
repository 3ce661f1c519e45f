"""Avatars of users and bots: uploaded, or the organization's default."""

import secrets

from tertulia import events, storage
from tertulia.actions.groups import permissions
from tertulia.actions.people import known_people
from tertulia.database.tx import Tx
from tertulia.domain.files.picture import Avatar
from tertulia.domain.people.user import UPLOADED, User
from tertulia.errors import BadRequest
from tertulia.events.types.people.user import AvatarChanged


def upload_own(tx: Tx, user: User, avatar: Avatar) -> None:
    _check_allowed(tx, user)
    set_avatar(tx, user.id, avatar)


def delete_own(tx: Tx, user: User) -> None:
    _check_allowed(tx, user)
    remove(tx, user.id)


def set_avatar(tx: Tx, user_id: int, avatar: Avatar) -> None:
    """The caller checks the permission."""
    name = secrets.token_hex(20)
    storage.people.avatars.store(tx, user_id, name, avatar.picture, avatar.medium)
    storage.people.avatars.store_source(tx, user_id, UPLOADED, name)
    events.log.announce(tx, AvatarChanged(user_id), to=known_people.audience_knowing(tx, user_id))


def remove(tx: Tx, user_id: int) -> None:
    """Reset to the organization's default. No effect if it is the default."""
    user, usual = (
        storage.people.users.find(tx, user_id),
        storage.organization.realms.current(tx).setting("default_avatar_source"),
    )
    if user is None or user.avatar_source == usual:
        return
    storage.people.avatars.remove(tx, user_id)
    storage.people.avatars.store_source(tx, user_id, usual, None)
    events.log.announce(tx, AvatarChanged(user_id), to=known_people.audience_knowing(tx, user_id))


def _check_allowed(tx: Tx, user: User) -> None:
    disabled = storage.organization.realms.current(tx).setting("avatar_changes_disabled")
    if disabled and not permissions.current_rights(tx, user).is_admin:
        raise BadRequest(
            "Avatar changes are disabled in this organization.", problem="avatar-changes-disabled"
        )
