"""Catching up: the sentences of unread messages that matter most to the caller."""

from functools import partial
from typing import Annotated

import msgspec

from tertulia import actions, api, domain
from tertulia.api.call import Call
from tertulia.domain.messages.catch_up import Reader, Sentence, Summary, UnreadConversation
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.fair_queue import FairQueue
from tertulia.http.parameter_rules import AtLeast, AtMost
from tertulia.http.replies import Reply

MAX_CONVERSATIONS = 200

# One slot: scoring holds the interpreter, so a second thread would not make it faster.
CATCH_UPS = FairQueue("catch_ups", slots=1, max_waiting=10)


class QuotedSentence(msgspec.Struct):
    message_id: int
    sender_id: int
    sender_full_name: str
    text: str
    reason: str
    reaction_count: int
    message_link: str


class CaughtUpConversation(msgspec.Struct):
    stream_id: int | None
    topic: str
    user_ids: list[int]
    message_count: int
    first_message_id: int
    calls_you: bool
    sentences: list[QuotedSentence]


class CatchUp(Reply):
    conversations: list[CaughtUpConversation]
    conversation_count: int
    message_count: int
    since: float | None
    older_left_out: bool


async def fetch(
    call: Call,
    *,
    max_conversations: Annotated[int, AtLeast(1), AtMost(MAX_CONVERSATIONS)] = 20,
    allow_empty_topic_name: bool = False,
) -> CatchUp:
    """Quote the sentences of the caller's unread messages that matter most."""
    viewer = api.messages.history.viewer_of(call)
    unread = await call.db.read_in_thread(actions.messages.catch_up.unread, viewer)
    work = partial(
        domain.messages.catch_up.summarize_all, unread.conversations, Reader(call.user.full_name)
    )
    summaries = await CATCH_UPS.run(call.person, work)
    return CatchUp(
        conversations=[
            _conversation(call, each, summary, allow_empty_topic_name)
            for each, summary in summaries[:max_conversations]
        ],
        conversation_count=len(unread.conversations),
        message_count=unread.message_count,
        since=unread.oldest_sent_at,
        older_left_out=unread.is_cut,
    )


def _conversation(
    call: Call, conversation: UnreadConversation, summary: Summary, allow_empty_topic_name: bool
) -> CaughtUpConversation:
    topic = conversation.topic
    if not conversation.is_direct:
        topic = domain.channels.topics.shown(topic, allow_empty_topic_name)
    return CaughtUpConversation(
        conversation.channel_id,
        topic,
        list(conversation.member_ids),
        len(conversation.messages),
        conversation.messages[0].id,
        any(each.is_personal for each in summary.sentences),
        [_quoted(call, conversation, each) for each in summary.sentences],
    )


def _quoted(call: Call, conversation: UnreadConversation, sentence: Sentence) -> QuotedSentence:
    sender = call.org.users[sentence.sender_id]
    knows_sender = call.org.may_know(call.caller, sender)
    return QuotedSentence(
        sentence.message_id,
        sentence.sender_id,
        sender.full_name if knows_sender else UNKNOWN_NAME,
        sentence.text,
        sentence.reason.value,
        sentence.reactions,
        conversation.link(sentence.message_id),
    )
