"""Settings of bots beyond their accounts."""

import msgspec

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.people.bots import Bot, BotUse, Service
from tertulia.domain.people.user import Role
from tertulia.storage.row_mapper import RowMapper

_USES = RowMapper(BotUse)

_COLUMNS = (
    "b.user_id, b.sending_channel_id, b.listening_channel_id, b.all_public_channels,"
    " b.service_url, b.service_interface, b.service_token, b.config"
)


def find(tx: Tx, user_id: int) -> Bot:
    return find_many(tx, [user_id])[0]


def find_many(tx: Tx, user_ids: list[int]) -> list[Bot]:
    """In the requested order; a bot without settings has no row."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM bot b WHERE b.user_id IN :users AND b.realm_id = :realm",
        users=user_ids,
    )
    found = {row["user_id"]: _bot(row) for row in rows}
    return [found.get(user_id) or Bot(user_id) for user_id in user_ids]


def managed_by(tx: Tx, user_id: int) -> dict[int, Bot]:
    """The bots that a user manages: their own, or all for an administrator."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM bot b JOIN account a ON a.id = b.user_id"
        " WHERE b.realm_id = :realm AND (a.bot_owner_id = :me"
        " OR EXISTS (SELECT 1 FROM account me WHERE me.id = :me AND me.role <= :administrator))",
        me=user_id,
        administrator=int(Role.ADMINISTRATOR),
    )
    return {row["user_id"]: _bot(row) for row in rows}


def using(tx: Tx, channel_id: int) -> list[Bot]:
    """Bots that use a channel as their default."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM bot b WHERE b.realm_id = :realm"
        " AND (b.sending_channel_id = :channel OR b.listening_channel_id = :channel)"
        " ORDER BY b.user_id",
        channel=channel_id,
    )
    return [_bot(row) for row in rows]


def ids_of_owners(tx: Tx, owner_ids: list[int]) -> list[int]:
    """All bots of some users, deactivated ones included."""
    return tx.column(
        "SELECT id FROM account WHERE bot_owner_id IN :owners AND realm_id = :realm ORDER BY id",
        owners=owner_ids,
    )


def owners(tx: Tx) -> dict[int, int | None]:
    """The owner of each bot, by the bot's id."""
    return dict(
        tx.tuples(
            "SELECT id, bot_owner_id FROM account WHERE realm_id = :realm"
            " AND bot_type IS NOT NULL AND NOT is_system_bot ORDER BY id"
        )
    )


def sealed_keys(tx: Tx, user_ids: list[int]) -> dict[int, bytes]:
    rows = tx.all(
        "SELECT id, key_sealed FROM account WHERE id IN :ids AND realm_id = :realm", ids=user_ids
    )
    return {row["id"]: bytes(row["key_sealed"]) for row in rows}


def is_name_in_use(tx: Tx, full_name: str) -> bool:
    """Whether an active user or bot has this name."""
    return tx.exists(
        "SELECT 1 AS found FROM account"
        " WHERE realm_id = :realm AND full_name = :name AND is_active LIMIT 1",
        name=full_name,
    )


def save(tx: Tx, bot: Bot) -> None:
    service = bot.service
    tx.upsert(
        "bot",
        ("user_id",),
        user_id=bot.user_id,
        sending_channel_id=bot.sending_channel_id,
        listening_channel_id=bot.listening_channel_id,
        all_public_channels=bot.all_public_channels,
        service_url=None if service is None else service.url,
        service_interface=None if service is None else service.interface,
        service_token=None if service is None else service.token,
        config=msgspec.json.encode(bot.config).decode(),
    )


def set_owner(tx: Tx, bot_id: int, owner_id: int) -> None:
    tx.update("account", bot_id, bot_owner_id=owner_id)


def _bot(row: Row) -> Bot:
    service = None
    if row["service_token"] is not None:
        service = Service(row["service_url"], row["service_interface"], row["service_token"])
    return Bot(
        user_id=row["user_id"],
        sending_channel_id=row["sending_channel_id"],
        listening_channel_id=row["listening_channel_id"],
        all_public_channels=bool(row["all_public_channels"]),
        service=service,
        config=msgspec.json.decode(row["config"]),
    )


def uses(tx: Tx, bot_ids: list[int]) -> list[BotUse]:
    """When bots were used last, and what became of the calls of their webhooks."""
    return _USES.all(
        tx,
        "FROM (SELECT a.id AS user_id, b.service_url, b.service_answered_at,"
        " b.service_failed_at, COALESCE(b.service_failures, 0) AS service_failures,"
        " b.service_error,"
        " (SELECT m.sent_at FROM message m WHERE m.sender_id = a.id ORDER BY m.id DESC LIMIT 1)"
        " AS last_message_at, (SELECT max(q.seen_at) FROM queue q WHERE q.user_id = a.id)"
        " AS last_poll_at FROM account a LEFT JOIN bot b ON b.user_id = a.id"
        " WHERE a.realm_id = :realm AND a.id IN :ids) AS used ORDER BY user_id",
        ids=bot_ids,
    )
