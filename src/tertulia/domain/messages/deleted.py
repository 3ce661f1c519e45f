"""Deleted messages that are kept for a while, so that they can be restored."""

from enum import StrEnum

import msgspec

from tertulia.domain.messages.message import Message

MAX_DAYS = 3650  # that an organization can keep deleted messages
SECONDS_PER_DAY = 86_400


class DeletionReason(StrEnum):
    """Why a message was deleted, as it is stored."""

    MESSAGE = "message"  # a user deleted it
    TOPIC = "topic"  # an administrator deleted its topic
    RETENTION = "retention"  # it was older than the retention period


class Deletion(msgspec.Struct, frozen=True):
    """A deletion after which messages may be kept."""

    reason: DeletionReason
    user_id: int | None = None  # None if no user deleted them


class KeptMessage(msgspec.Struct, frozen=True):
    message: Message
    reason: DeletionReason
    deleted_at: float
    deleted_by: int | None
    purge_after: float


class KeptSelection(msgspec.Struct, frozen=True):
    """Which kept messages: those that have all of the given properties."""

    message_ids: tuple[int, ...] | None = None
    channel_id: int | None = None
    topic: str | None = None
    sender_id: int | None = None
    deleted_from: float | None = None  # times of the deletion
    deleted_before: float | None = None


class KeptTopic(msgspec.Struct, frozen=True):
    """The kept messages of a topic, or of all direct conversations, that were deleted for one
    reason."""

    channel_id: int | None
    topic: str
    reason: DeletionReason
    count: int
    oldest_at: float
    newest_at: float
    deleted_at: float  # the last deletion
    purge_after: float  # the first purge
