"""Bot storage: key-value data of one bot, with a size limit."""

from collections.abc import Sequence

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest


def store(tx: Tx, bot: User, entries: dict[str, str]) -> None:
    """Store values by key, replacing existing ones."""
    storage.people.bot_storage.store(tx, bot.id, entries)
    if storage.people.bot_storage.size(tx, bot.id) > domain.limits.MAX_BOT_STORAGE_LENGTH:
        raise BadRequest(
            f"Bot storage is full (limit: {domain.limits.MAX_BOT_STORAGE_LENGTH} characters)"
        )


def fetch(tx: Tx, bot: User, keys: Sequence[str] | None) -> dict[str, str]:
    """The values of these keys, or of all. Raises if a key does not exist."""
    if keys is None:
        return storage.people.bot_storage.list_all(tx, bot.id)
    found = storage.people.bot_storage.find_many(tx, bot.id, keys)
    if len(found) < len(set(keys)):
        raise BadRequest("Key does not exist.")
    return found


def delete(tx: Tx, bot: User, keys: Sequence[str] | None) -> None:
    """Delete these keys, or all. Raises if a key does not exist."""
    if keys is None:
        storage.people.bot_storage.clear(tx, bot.id)
    else:
        fetch(tx, bot, keys)
        storage.people.bot_storage.delete(tx, bot.id, keys)
