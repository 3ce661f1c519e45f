"""Custom emoji: adding one, and taking it out of use."""

import secrets

from tertulia.actions import rights
from tertulia.domain.custom_emoji import CustomEmoji
from tertulia.domain.emoji import find_common
from tertulia.domain.images import Picture
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import CustomEmojiNotFound
from tertulia.events.audience import Everyone
from tertulia.events.log import announce
from tertulia.events.types.emoji import EmojiAdded, EmojiDeactivated
from tertulia.markdown import emoji_names as table
from tertulia.storage import emoji
from tertulia.storage.tx import Tx


def listed(tx: Tx) -> list[CustomEmoji]:
    return emoji.everything(tx)


def add(tx: Tx, user: User, name: str, picture: Picture) -> None:
    user = rights.acting(tx, user)
    rights.require_in_realm(tx, user, "can_add_custom_emoji_group")
    if emoji.find_active(tx, name) is not None:
        raise BadRequest("A custom emoji with this name already exists.")
    if find_common(table, name) is not None and not user.is_admin:
        raise BadRequest("Only administrators can override default emoji.")
    stem = secrets.token_hex(8)
    still_name = None if picture.still is None else f"{stem}.png"
    emoji_id = emoji.insert(
        tx,
        name,
        user.id,
        (f"{stem}.{picture.extension}", picture.data),
        (still_name, picture.still),
    )
    announce(tx, EmojiAdded(emoji_id), to=Everyone())


def deactivate(tx: Tx, user: User, name: str) -> None:
    """Nobody can use it any more; where it was used, it stays."""
    user = rights.acting(tx, user)
    found = emoji.find_active(tx, name)
    if found is None:
        raise CustomEmojiNotFound(name=name)
    if found.author_id != user.id and not user.is_admin:
        raise BadRequest("Must be an organization administrator or emoji author")
    emoji.deactivate(tx, found.id)
    announce(tx, EmojiDeactivated(found.id), to=Everyone())
