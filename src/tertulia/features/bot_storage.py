"""Bot storage: texts that a bot keeps between runs, by key. Only the bot reads them."""

from collections.abc import Sequence
from typing import Annotated

from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import MaxItems, MaxLength, NoNul
from tertulia.http.replies import Reply
from tertulia.storage.record import Record
from tertulia.wire import Doc

MAX_LENGTH = 1_000_000  # characters of a bot's storage, including keys
MAX_KEY_LENGTH = 255
MAX_KEYS_PER_CALL = 1000
MAX_BODY = 9 * MAX_LENGTH + (1 << 20)  # a character takes up to nine bytes in a form

Key = Annotated[str, MaxLength(MAX_KEY_LENGTH), NoNul]
Keys = Annotated[list[Key], MaxItems(MAX_KEYS_PER_CALL), Doc("The keys; without it, all.")]
Texts = Annotated[
    dict[str, Annotated[str, MaxLength(MAX_LENGTH), NoNul]],
    Doc("The texts to store, by key.", example={"tide": "high"}),
]


class StoredText(Record, frozen=True, table="bot_memory"):
    key: str
    value: str


# --- actions ---


def read(tx: Tx, bot: User, keys: Sequence[str] | None) -> dict[str, str]:
    """The values of these keys, or of all. Raises if a key does not exist."""
    chosen = {"user_id": bot.id} if keys is None else {"user_id": bot.id, "key": list(keys)}
    found = StoredText.where(tx, "key", **chosen)
    if keys is not None and len(found) < len(set(keys)):
        raise BadRequest("Key does not exist.", problem="not-found")
    return {each.key: each.value for each in found}


def write(tx: Tx, bot: User, entries: dict[str, str]) -> None:
    """Store values by key, replacing existing ones."""
    tx.insert_rows(
        "bot_memory",
        ({"key": key, "value": value} for key, value in entries.items()),
        "ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value",
        user_id=bot.id,
    )
    length = tx.number(
        "SELECT sum(length(key) + length(value)) AS value FROM bot_memory"
        " WHERE user_id = :user AND realm_id = :realm",
        user=bot.id,
    )
    if length > MAX_LENGTH:
        raise BadRequest(f"Bot storage is full (limit: {MAX_LENGTH} characters)")


def erase(tx: Tx, bot: User, keys: Sequence[str] | None) -> None:
    """Delete these keys, or all. Raises if a key does not exist."""
    if keys is None:
        StoredText.delete(tx, user_id=bot.id)
    else:
        read(tx, bot, keys)
        StoredText.delete(tx, user_id=bot.id, key=list(keys))


# --- endpoints ---


class Storage(Reply):
    storage: Annotated[dict[str, str], Doc("The stored texts, by key.")]


async def store(call: Call, *, storage: Texts) -> None:
    """Store texts for the calling bot; replaces existing keys."""
    if len(storage) > MAX_KEYS_PER_CALL:
        raise BadRequest(f"storage is too long (limit: {MAX_KEYS_PER_CALL} items)")
    for key in storage:
        if len(key) > MAX_KEY_LENGTH:
            raise BadRequest(
                "A key in storage is too long (limit: {limit} characters)",
                problem="text-too-long",
                limit=MAX_KEY_LENGTH,
            )
        if "\0" in key:
            raise BadRequest("A key in storage must not contain null bytes", problem="null-byte")
    await call.db.write(write, call.user, storage)


async def fetch(call: Call, *, keys: Keys | None = None) -> Storage:
    """Get the calling bot's stored texts: all, or some keys."""
    return Storage(storage=await call.db.read(read, call.user, keys))


async def delete(call: Call, *, keys: Keys | None = None) -> None:
    """Delete the calling bot's stored texts: all, or some keys."""
    await call.db.write(erase, call.user, keys)
