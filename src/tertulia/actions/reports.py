"""Reports: a message is shown to the moderators, in the channel that was chosen for that."""

from dataclasses import replace

from tertulia.actions import notices, rights
from tertulia.actions.messages import access
from tertulia.domain import reports
from tertulia.domain.channels import Channel
from tertulia.domain.messages import Draft
from tertulia.domain.notices import Words
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.storage import channels, realms, users
from tertulia.storage.tx import Tx


def words_for(
    tx: Tx, reporter: User, message_id: int, reason: str, description: str, site: str
) -> str:
    """What the moderators read. They are told who said it, even if the reporter may not know."""
    _place(tx)
    reports.check(reason, description)
    quotation = access.quotation(tx, reporter, message_id)
    quotation = replace(quotation, sender=users.find(tx, quotation.message.sender_id))
    return reports.report_text(reporter, reason, description, quotation, site)


def send(tx: Tx, reporter: User, message_id: int, draft: Draft) -> None:
    reporter = rights.acting(tx, reporter)
    sender = users.find(tx, access.visible_to(tx, reporter, message_id).sender_id)
    assert sender is not None
    words = Words(draft.content, draft.rendered)
    notices.post(tx, _place(tx), reports.topic_about(sender), words)


def _place(tx: Tx) -> Channel:
    channel = channels.find(tx, realms.current(tx).setting("moderation_request_channel_id"))
    if channel is None or channel.archived:
        raise BadRequest(
            "Moderation request channel must be specified to enable message reporting."
        )
    return channel
