"""Custom emoji: creation and deactivation."""

import secrets

from tertulia import actions, domain, events, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.files.picture import Picture
from tertulia.domain.organization.custom_emoji import CustomEmoji
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import CustomEmojiNotFound
from tertulia.events.audience import Everyone
from tertulia.events.types.organization.custom_emoji import EmojiAdded, EmojiDeactivated


def list_all(tx: Tx) -> list[CustomEmoji]:
    return storage.organization.custom_emoji.list_all(tx)


def add(tx: Tx, user: User, name: str, picture: Picture) -> None:
    user = actions.groups.permissions.current_rights(tx, user)
    actions.groups.permissions.require_in_realm(tx, user, "can_add_custom_emoji_group")
    if storage.organization.custom_emoji.find_active(tx, name) is not None:
        raise BadRequest("A custom emoji with this name already exists.")
    if domain.emoji.find_common(markdown.emoji_names, name) is not None and not user.is_admin:
        raise BadRequest("Only administrators can override default emoji.")
    if storage.creation_counts.emoji(tx, user) >= domain.limits.MAX_EMOJI:
        raise BadRequest(f"Too many custom emoji (limit: {domain.limits.MAX_EMOJI})")
    stem = secrets.token_hex(8)
    still_name = None if picture.still is None else f"{stem}.png"
    emoji_id = storage.organization.custom_emoji.insert(
        tx,
        name,
        user.id,
        (f"{stem}.{picture.extension}", picture.data),
        (still_name, picture.still),
    )
    events.log.announce(tx, EmojiAdded(emoji_id), to=Everyone())


def deactivate(tx: Tx, user: User, name: str) -> None:
    """Deactivate an emoji. Existing uses stay."""
    user = actions.groups.permissions.current_rights(tx, user)
    found = storage.organization.custom_emoji.find_active(tx, name)
    if found is None:
        raise CustomEmojiNotFound(name=name)
    if found.author_id != user.id and not user.is_admin:
        raise BadRequest("Must be an organization administrator or emoji author")
    storage.organization.custom_emoji.deactivate(tx, found.id)
    events.log.announce(tx, EmojiDeactivated(found.id), to=Everyone())
