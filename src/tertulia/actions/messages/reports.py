"""Reports: a message is shown to the moderators in the channel chosen for that."""

from msgspec.structs import replace

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest


def text_for(
    tx: Tx, reporter: User, message_id: int, reason: str, description: str, site: str
) -> str:
    """The text for the moderators. It names the sender even if the reporter may not know them."""
    _report_channel(tx)
    domain.messages.reports.check(reason, description)
    quotation = actions.messages.quotation(tx, reporter, message_id)
    quotation = replace(quotation, sender=storage.people.find(tx, quotation.message.sender_id))
    return domain.messages.reports.report_text(reporter, reason, description, quotation, site)


def send(tx: Tx, reporter: User, message_id: int, draft: Draft) -> None:
    reporter = actions.groups.permissions.current_rights(tx, reporter)
    sender = storage.people.find(
        tx, actions.messages.visible_to(tx, reporter, message_id).sender_id
    )
    assert sender is not None
    words = NoticeText(draft.content, draft.rendered)
    actions.messages.notices.post(
        tx, _report_channel(tx), domain.messages.reports.topic_about(sender), words
    )


def _report_channel(tx: Tx) -> Channel:
    channel = storage.channels.find(
        tx, storage.organization.current(tx).setting("moderation_request_channel_id")
    )
    if channel is None or channel.archived:
        raise BadRequest(
            "Moderation request channel must be specified to enable message reporting."
        )
    return channel
