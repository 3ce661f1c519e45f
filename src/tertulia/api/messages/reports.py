"""Reports: telling the moderators about a message."""

from typing import Annotated

from tertulia import actions, domain
from tertulia.actions.messages.notices import CLIENT
from tertulia.api.call import Call
from tertulia.http.parameter_rules import MaxLength, NoNul, Stripped

Description = Annotated[str, NoNul(), Stripped(), MaxLength(domain.limits.MAX_REPORT_LENGTH)]


async def report(
    call: Call,
    message_id: int,
    *,
    report_type: Annotated[str, MaxLength(100)],
    description: Description = "",
) -> None:
    """Report a message to the moderators."""
    words = await call.db.read(
        actions.messages.reports.text_for,
        call.user,
        message_id,
        report_type,
        description,
        call.site,
    )
    notice = await actions.messages.draft.compose(call.author, words, CLIENT, False)
    await call.db.write(actions.messages.reports.send, call.user, message_id, notice)
