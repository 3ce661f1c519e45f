"""Widgets: voting in polls and editing to-do lists."""

from typing import Annotated

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.http.parameter_rules import MaxLength, NoNul
from tertulia.wire import Doc
from tertulia.wire_fields import MessageId

Content = Annotated[
    str,
    NoNul(),
    MaxLength(domain.limits.MAX_MESSAGE_LENGTH),
    Doc("The content, as JSON in a string.", example="Soup is on!"),
]


async def submit(
    call: Call,
    *,
    message_id: MessageId,
    msg_type: Annotated[str, MaxLength(100), Doc("Always `widget`.", example="widget")],
    content: Content,
) -> None:
    """Vote in a poll, add an option, change a to-do list."""
    await call.db.write(actions.messages.widgets.submit, call.user, message_id, msg_type, content)
