"""Reports: a message is shown to the moderators, in the channel chosen for that."""

from typing import Annotated

import msgspec
from msgspec.structs import replace

from tertulia import actions, domain, storage
from tertulia.actions.messages.notices import CLIENT
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.messages.quotations import Quotation
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.snapshot.register_parts import View
from tertulia.events.snapshot.server_info import StatePart
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import MaxLength, NoNul, Stripped
from tertulia.wire import Doc
from tertulia.wire_fields import MessageId

MAX_LENGTH = 1000
REASONS = {
    "spam": "Spam",
    "harassment": "Harassment",
    "inappropriate": "Inappropriate content",
    "norms": "Violates community norms",
    "other": "Other reason",
}


def _check(reason: str, description: str) -> None:
    if reason not in REASONS:
        raise BadRequest("Invalid report_type")
    if reason == "other" and not description:
        raise BadRequest(
            "For 'other' a description is needed.", problem="report-description-missing"
        )


def _report_text(
    reporter: User, reason: str, description: str, quotation: Quotation, site: str
) -> str:
    text = (
        f"{domain.messages.quotations.mention(reporter)} reported a message: **{REASONS[reason]}**."
    )
    if description:
        text += "\n" + "\n".join(f"> {line}" for line in description.splitlines())
    return domain.messages.quotations.quoted(text, quotation, site)


def compose(
    tx: Tx, reporter: User, message_id: int, reason: str, description: str, site: str
) -> str:
    """The text for the moderators. It names the sender even if the reporter may not know them."""
    _report_channel(tx)
    _check(reason, description)
    quotation = actions.messages.access.quotation(tx, reporter, message_id)
    quotation = replace(
        quotation, sender=storage.people.users.find(tx, quotation.message.sender_id)
    )
    return _report_text(reporter, reason, description, quotation, site)


def send(tx: Tx, reporter: User, message_id: int, draft: Draft) -> None:
    reporter = actions.groups.permissions.current_rights(tx, reporter)
    sender = storage.people.users.find(
        tx, actions.messages.access.visible_to(tx, reporter, message_id).sender_id
    )
    assert sender is not None
    words = NoticeText(draft.content, draft.rendered)
    topic = f"Reports about {sender.full_name}"[: domain.limits.MAX_TOPIC_LENGTH]
    actions.messages.notices.post(tx, _report_channel(tx), topic, words)


def _report_channel(tx: Tx) -> Channel:
    channel = storage.channels.table.find(
        tx, storage.organization.realms.current(tx).setting("moderation_request_channel_id")
    )
    if channel is None or channel.archived:
        raise BadRequest(
            "Moderation request channel must be specified to enable message reporting.",
            problem="moderation-channel-missing",
        )
    return channel


Description = Annotated[
    str,
    NoNul(),
    Stripped(),
    MaxLength(MAX_LENGTH),
    Doc("What is wrong with the message, in own words."),
]


async def report(
    call: Call,
    message_id: MessageId,
    *,
    report_type: Annotated[str, MaxLength(100), Doc("The reason of the report.", example="spam")],
    description: Description = "",
) -> None:
    """Report a message to the moderators."""
    words = await call.db.read(compose, call.user, message_id, report_type, description, call.site)
    notice = await actions.messages.draft.compose(call.author, words, CLIENT, False)
    await call.db.write(send, call.user, message_id, notice)


class ReportReason(msgspec.Struct):
    key: Annotated[str, Doc("The name of the reason, for programs.")]
    name: Annotated[str, Doc("The name of the reason, for people.")]


class ReportReasonsState(StatePart):
    server_report_message_types: Annotated[
        list[ReportReason], Doc("The reasons for reporting a message.")
    ]


def _state(_: View) -> ReportReasonsState:
    return ReportReasonsState([ReportReason(key, name) for key, name in REASONS.items()])


FEATURE = Feature(state={"realm": _state})
