"""Widgets: voting in polls and editing to-do lists."""

from typing import Annotated

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.http.parameter_rules import Id, MaxLength, NoNul

Content = Annotated[str, NoNul(), MaxLength(domain.limits.MAX_MESSAGE_LENGTH)]


async def submit(
    call: Call, *, message_id: Id, msg_type: Annotated[str, MaxLength(100)], content: Content
) -> None:
    """Vote in a poll, add an option, change a to-do list."""
    await call.db.write(actions.messages.widgets.submit, call.user, message_id, msg_type, content)
