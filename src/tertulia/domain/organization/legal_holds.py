"""Legal holds: while one is active, messages that it covers are kept when they are deleted.

A hold on a user covers what they send and all direct messages of their conversations. A hold on a
channel covers its messages.
"""

import msgspec

from tertulia import domain
from tertulia.errors import BadRequest

MAX_REASON_LENGTH = 1000
MAX_ACTIVE = 500  # holds of an organization


class LegalHold(msgspec.Struct, frozen=True):
    id: int
    user_id: int | None
    channel_id: int | None
    reason: str
    created_at: float
    created_by: int | None  # None for the command line
    ended_at: float | None
    ended_by: int | None


def checked_reason(text: str) -> str:
    """The reason as it is stored. Raises BadRequest."""
    reason = text.strip()
    domain.names.check(" ".join(reason.splitlines()), "reason")
    if not reason:
        raise BadRequest("A legal hold needs a reason.", problem="legal-hold-reason-missing")
    if len(reason) > MAX_REASON_LENGTH:
        raise BadRequest(
            "reason is too long (limit: {limit} characters)",
            problem="text-too-long",
            limit=MAX_REASON_LENGTH,
        )
    return reason
