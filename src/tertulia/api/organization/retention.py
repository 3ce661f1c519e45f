"""What a retention period would delete, before an owner sets it."""

from typing import Annotated

from tertulia import actions
from tertulia.api.call import Call
from tertulia.api.channels import parameters
from tertulia.api.channels.parameters import RetentionDays
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import MessageCount, NewestTimestamp, OldestTimestamp


class RetentionPreview(Reply):
    message_count: MessageCount
    oldest_timestamp: OldestTimestamp | None
    newest_timestamp: NewestTimestamp | None
    sent_before: Annotated[
        int | None,
        Doc("Messages sent before this time are deleted, in UNIX seconds; null if none are."),
    ]


async def preview(
    call: Call,
    *,
    message_retention_days: RetentionDays,
    stream_id: Annotated[int | None, Doc("The id of the channel.")] = None,
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
