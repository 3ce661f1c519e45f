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
from tertulia.wire import Doc
from tertulia.wire_fields import AllowEmptyTopicName, MessageId, SenderFullName, SenderId

MAX_CONVERSATIONS = 200

# One slot: scoring holds the interpreter, so a second thread would not make it faster.
CATCH_UPS = FairQueue("catch_ups", slots=1, max_waiting=10)


class QuotedSentence(msgspec.Struct):
    message_id: MessageId
    sender_id: SenderId
    sender_full_name: SenderFullName
    text: Annotated[str, Doc("The sentence as it was written, as plain text.")]
    reason: Annotated[
        str,
        Doc(
            "Why it was chosen: `question_to_you`, `mention`, `decision`, `date_change`,"
            " `poll`, `question`, `reactions`, `link` or `other`."
        ),
    ]
    reaction_count: Annotated[int, Doc("The number of people who reacted to the message.")]
    message_link: Annotated[str, Doc("The fragment of the message's address in the page.")]


class CaughtUpConversation(msgspec.Struct):
    stream_id: Annotated[int | None, Doc("The id of the channel; null for a direct conversation.")]
    topic: Annotated[str, Doc("The topic; empty for a direct conversation.")]
    user_ids: Annotated[list[int], Doc("The members of a direct conversation, with the caller.")]
    message_count: Annotated[int, Doc("The number of unread messages in the conversation.")]
    first_message_id: Annotated[int, Doc("The id of the first unread message of the conversation.")]
    calls_you: Annotated[bool, Doc("Whether one of the sentences is addressed to the caller.")]
    sentences: Annotated[
        list[QuotedSentence],
        Doc("At most three sentences as they were written, most relevant first."),
    ]


class CatchUp(Reply):
    conversations: Annotated[
        list[CaughtUpConversation],
        Doc("The topics and direct conversations with unread messages, most relevant first."),
    ]
    conversation_count: Annotated[int, Doc("The number of all conversations with unread messages.")]
    message_count: Annotated[int, Doc("The number of unread messages that were considered.")]
    since: Annotated[
        float | None,
        Doc("When the oldest of these messages was sent, in UNIX seconds; null if there is none."),
    ]
    older_left_out: Annotated[
        bool, Doc("Whether there are older unread messages that were not considered.")
    ]


async def fetch(
    call: Call,
    *,
    max_conversations: Annotated[
        int,
        AtLeast(1),
        AtMost(MAX_CONVERSATIONS),
        Doc("The largest number of conversations in the response."),
    ] = 20,
    allow_empty_topic_name: AllowEmptyTopicName = False,
) -> CatchUp:
    """Quote the sentences of the caller's unread messages that matter most."""
    viewer = api.messages.history.viewer_of(call)
    unread = await call.db.in_thread.read(actions.messages.catch_up.unread, viewer)
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
