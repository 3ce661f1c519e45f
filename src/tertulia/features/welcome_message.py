"""The welcome message, sent to its author as a test."""

from typing import Annotated

from tertulia import actions
from tertulia.api.call import Call
from tertulia.domain.messages.notices import NoticeText
from tertulia.http.parameter_rules import MaxLength, NotBlank
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import MessageId

MAX_TEXT = 8000


class TestMessage(Reply):
    message_id: MessageId


async def send_test(
    call: Call,
    *,
    welcome_message_custom_text: Annotated[
        str,
        NotBlank,
        MaxLength(MAX_TEXT),
        Doc("The welcome message, in Markdown.", example="Pull up a chair."),
    ],
) -> TestMessage:
    """Send the welcome message to the caller, as a test."""
    draft = await actions.messages.draft.compose(
        call.author, welcome_message_custom_text, call.client, None
    )
    words = NoticeText(draft.content, draft.rendered)
    return TestMessage(
        await call.db.write(actions.messages.notices.send_to_user, call.user.id, words)
    )
