"""Counts the messages that a retention period or a deletion would delete."""

from typing import Any

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.storage.channels import topics

ALL = float("inf")  # sent at any time


class ExpiredMessages(msgspec.Struct, frozen=True):
    count: int
    oldest_at: float | None  # None if there are none
    newest_at: float | None
    before: float  # messages sent before this time are deleted; 0 if none ever is


def in_channel(tx: Tx, channel_id: int, before: float) -> ExpiredMessages:
    return _count(tx, "m.channel_id = :channel", before, channel=channel_id)


def with_default_period(tx: Tx, before: float) -> ExpiredMessages:
    """In direct conversations and in the channels without a retention of their own."""
    default = "SELECT c.id FROM channel c WHERE c.realm_id = :realm AND c.retention_days IS NULL"
    return _count(tx, f"(m.channel_id IS NULL OR m.channel_id IN ({default}))", before)


def in_topic(tx: Tx, channel_id: int, topic: str) -> ExpiredMessages:
    key = domain.channels.topics.fold(topic)
    condition, params = topics.condition(tx, channel_id, key)
    return _count(tx, f"m.{condition}", ALL, **params)


def by_sender(tx: Tx, sender_id: int) -> ExpiredMessages:
    return _count(tx, "m.sender_id = :sender", ALL, sender=sender_id)


def in_organization(tx: Tx) -> ExpiredMessages:
    return _count(tx, "1 = 1", ALL)


def _count(tx: Tx, condition: str, before: float, **values: Any) -> ExpiredMessages:
    row = tx.one(
        "SELECT count(*) AS count, min(m.sent_at) AS oldest, max(m.sent_at) AS newest"
        f" FROM message m WHERE m.realm_id = :realm AND m.sent_at < :before AND {condition}",
        before=before,
        **values,
    )
    assert row is not None
    return ExpiredMessages(row["count"], row["oldest"], row["newest"], before)
