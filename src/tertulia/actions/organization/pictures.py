"""The organization's icon and logos, which administrators upload or reset to the default."""

import secrets

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.pictures import PictureKind
from tertulia.domain.people.user import User
from tertulia.events.audience import Everyone
from tertulia.events.types.organization.pictures import PictureChanged


def set_picture(tx: Tx, user: User, kind: PictureKind, picture: bytes) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    storage.organization.pictures.store(tx, kind, secrets.token_hex(20), picture)
    events.log.announce(tx, PictureChanged(kind), to=Everyone())


def remove(tx: Tx, user: User, kind: PictureKind) -> None:
    """Reset to the default. No effect if it is the default."""
    actions.groups.permissions.require_administrator(tx, user)
    if kind not in storage.organization.current(tx).pictures:
        return
    storage.organization.pictures.remove(tx, kind)
    events.log.announce(tx, PictureChanged(kind), to=Everyone())
