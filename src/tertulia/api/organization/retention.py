"""What a retention period would delete, before an owner sets it."""

from tertulia import actions
from tertulia.api.call import Call
from tertulia.api.channels import parameters
from tertulia.api.channels.parameters import RetentionDays
from tertulia.http.replies import Reply


class RetentionPreview(Reply):
    message_count: int
    oldest_timestamp: int | None
    newest_timestamp: int | None
    sent_before: int | None


async def preview(
    call: Call, *, message_retention_days: RetentionDays, stream_id: int | None = None
) -> RetentionPreview:
    """Count the messages that a retention period would delete, without setting it.

    Without a channel: in all channels and conversations that use the organization's setting.
    """
    days = parameters.retention_days(message_retention_days)
    found = await call.db.read(actions.later.retention.preview, call.user, stream_id, days)
    return RetentionPreview(
        message_count=found.count,
        oldest_timestamp=_seconds(found.oldest_at),
        newest_timestamp=_seconds(found.newest_at),
        sent_before=_seconds(found.before or None),
    )


def _seconds(moment: float | None) -> int | None:
    return None if moment is None else int(moment)
