"""Addresses for inbound mail, and the mails that were received."""

from tertulia.database.tx import Tx
from tertulia.domain.inbound_mail import ChannelAddress, ReplyAddress
from tertulia.domain.messages.message import Message
from tertulia.storage.row_mapper import RowMapper

_REPLIES, _CHANNELS = RowMapper(ReplyAddress), RowMapper(ChannelAddress)


def insert_reply_address(
    tx: Tx, hash: str, user_id: int, message: Message, expires_at: float
) -> None:
    tx.insert_row(
        "reply_address",
        hash=hash,
        user_id=user_id,
        message_id=message.id,
        expires_at=expires_at,
        channel_id=message.channel_id,
        topic=None if message.channel_id is None else message.topic,
    )


def delete_reply_addresses(tx: Tx, user_id: int) -> None:
    tx.delete("reply_address", user_id=user_id)


def find_reply_address(tx: Tx, hash: str) -> ReplyAddress | None:
    """In any organization."""
    return _REPLIES.one(tx, "FROM reply_address WHERE hash = :hash", hash=hash)


def store_channel_address(
    tx: Tx, hash: str, channel_id: int, sender_id: int | None, created_by: int, renewal: int
) -> None:
    tx.execute(
        "INSERT INTO channel_address (hash, realm_id, channel_id, sender_id, created_by, renewal)"
        " VALUES (:hash, :realm, :channel, :sender, :maker, :renewal)"
        " ON CONFLICT (hash) DO NOTHING",
        hash=hash,
        channel=channel_id,
        sender=sender_id,
        maker=created_by,
        renewal=renewal,
    )


def find_channel_address(tx: Tx, hash: str) -> ChannelAddress | None:
    """A valid address, in any organization."""
    return _CHANNELS.one(
        tx,
        "FROM channel_address a WHERE hash = :hash"
        " AND renewal = (SELECT c.mail_renewals FROM channel c WHERE c.id = a.channel_id)",
        hash=hash,
    )


def renewals(tx: Tx, channel_id: int) -> int:
    """How often the addresses of a channel were renewed."""
    return tx.number("SELECT mail_renewals AS value FROM channel WHERE id = :id", id=channel_id)


def end_channel_addresses(tx: Tx, channel_id: int) -> None:
    """Delete the addresses of a channel, and let new ones differ from them."""
    tx.execute("UPDATE channel SET mail_renewals = mail_renewals + 1 WHERE id = :id", id=channel_id)
    tx.execute("DELETE FROM channel_address WHERE channel_id = :id", id=channel_id)


def was_received(tx: Tx, hash: str) -> bool:
    return tx.exists("SELECT 1 AS found FROM received_mail WHERE hash = :hash", hash=hash)


def record(tx: Tx, hash: str, address_hash: str = "") -> None:
    """Record a mail; with the hash of its address, as one that counts for that address."""
    tx.insert_row("received_mail", hash=hash, address_hash=address_hash, received_at=tx.now)


def count_since(tx: Tx, address_hash: str, since: float) -> int:
    count: int = tx.value(
        "SELECT count(*) AS value FROM received_mail"
        " WHERE address_hash = :address AND received_at > :since",
        address=address_hash,
        since=since,
    )
    return count


def delete_before(tx: Tx, expired: float, received: float) -> None:
    tx.execute("DELETE FROM reply_address WHERE expires_at < :at", at=expired)
    tx.execute("DELETE FROM received_mail WHERE received_at < :at", at=received)
