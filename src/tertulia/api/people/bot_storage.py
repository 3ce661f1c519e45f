"""Bot storage: texts that a bot keeps between runs; only the bot reads them."""

from typing import Annotated

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import MaxItems, MaxLength, NoNul
from tertulia.http.replies import Reply

Key = Annotated[str, MaxLength(domain.limits.MAX_BOT_STORAGE_KEY_LENGTH), NoNul]
Keys = Annotated[list[Key], MaxItems(domain.limits.MAX_BOT_STORAGE_KEYS_PER_CALL)]

MAX_BODY = 9 * domain.limits.MAX_BOT_STORAGE_LENGTH + (
    1 << 20
)  # a character takes up to nine bytes in a form


class Storage(Reply):
    storage: dict[str, str]


async def store(
    call: Call,
    *,
    storage: dict[str, Annotated[str, MaxLength(domain.limits.MAX_BOT_STORAGE_LENGTH), NoNul]],
) -> None:
    """Store texts for the calling bot; replaces existing keys."""
    if len(storage) > domain.limits.MAX_BOT_STORAGE_KEYS_PER_CALL:
        limit = domain.limits.MAX_BOT_STORAGE_KEYS_PER_CALL
        raise BadRequest(f"storage is too long (limit: {limit} items)")
    for key in storage:
        if len(key) > domain.limits.MAX_BOT_STORAGE_KEY_LENGTH:
            limit = domain.limits.MAX_BOT_STORAGE_KEY_LENGTH
            raise BadRequest(f"A key in storage is too long (limit: {limit} characters)")
        if "\0" in key:
            raise BadRequest("A key in storage must not contain null bytes")
    await call.db.write(actions.people.bot_storage.store, call.user, storage)


async def fetch(call: Call, *, keys: Keys | None = None) -> Storage:
    """Get the calling bot's stored texts: all, or some keys."""
    return Storage(storage=await call.db.read(actions.people.bot_storage.fetch, call.user, keys))


async def delete(call: Call, *, keys: Keys | None = None) -> None:
    """Delete the calling bot's stored texts: all, or some keys."""
    await call.db.write(actions.people.bot_storage.delete, call.user, keys)
