"""The unread messages that a user may see, by topic and direct conversation, and their summary."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated

import msgspec
from msgspec.structs import replace

from tertulia import actions, api, domain, storage
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.api.call import Call
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.messages.widget_state import Poll
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.fair_queue import FairQueue
from tertulia.features.catch_up.summary import (
    CatchUpMessage,
    Reader,
    Sentence,
    Summary,
    UnreadConversation,
    quotes,
    summarize_all,
)
from tertulia.http.parameter_rules import AtLeast, AtMost
from tertulia.http.replies import Reply
from tertulia.storage.messages.selections import BEYOND_ALL, Selection
from tertulia.wire import Doc
from tertulia.wire_fields import AllowEmptyTopicName, MessageId, SenderFullName, SenderId

MAX_MESSAGES = 2000  # the newest ones that are read
MAX_IDS_PER_QUERY = 1000
MAX_CONVERSATIONS = 200  # in an answer

# One slot: scoring holds the interpreter, so a second thread would not make it faster.
CATCH_UPS = FairQueue("catch_ups", slots=1, max_waiting=10)


class UnreadText(msgspec.Struct, frozen=True):
    """A message and the place where it is."""

    message: CatchUpMessage
    channel_id: int | None
    topic: str
    topic_key: str
    member_ids: tuple[int, ...]
    sent_at: float


def _texts(tx: Tx, user_id: int, message_ids: Sequence[int]) -> list[UnreadText]:
    """These messages, which the reader may see, in the order of their ids."""
    ids = list(message_ids)
    found: list[UnreadText] = []
    for start in range(0, len(ids), MAX_IDS_PER_QUERY):
        found += _some_texts(tx, user_id, ids[start : start + MAX_IDS_PER_QUERY])
    return found


def _some_texts(tx: Tx, user_id: int, ids: list[int]) -> list[UnreadText]:
    flags = storage.messages.flags.flags_of(tx, user_id, ids)
    polls, lists = _widgets(tx, user_id, ids)
    rows = tx.all(
        "SELECT m.id, m.sender_id, m.channel_id, m.rendered, m.sent_at, m.channel_wildcard,"
        f" {storage.channels.topics.NAME} AS topic, {storage.channels.topics.KEY} AS topic_key,"
        " (SELECT v.member_ids FROM conversation v WHERE v.id = m.conversation_id) AS member_ids,"
        " (SELECT a.bot_type FROM account a WHERE a.id = m.sender_id) AS bot_type,"
        " (SELECT count(DISTINCT r.user_id) FROM reaction r WHERE r.message_id = m.id) AS reactions"
        " FROM message m WHERE m.id IN :ids AND m.realm_id + 0 = :realm ORDER BY m.id",
        ids=ids,
    )
    return [
        _text(row, flags.get(row["id"], set()), polls.get(row["id"]), lists.get(row["id"]))
        for row in rows
    ]


def _text(row: Row, flags: set[str], poll: str | None, to_do: str | None) -> UnreadText:
    message = CatchUpMessage(
        row["id"],
        row["sender_id"],
        row["rendered"],
        is_mention="mentioned" in flags,
        is_wildcard=bool(row["channel_wildcard"]) or "topic_wildcard_mentioned" in flags,
        has_alert_word="has_alert_word" in flags,
        reactions=row["reactions"],
        poll=poll,
        to_do=to_do,
        is_by_bot=row["bot_type"] is not None,
    )
    return UnreadText(
        message,
        row["channel_id"],
        row["topic"],
        row["topic_key"],
        storage.messages.conversations.members(row["member_ids"]),
        row["sent_at"],
    )


def _widgets(tx: Tx, user_id: int, ids: list[int]) -> tuple[dict[int, str], dict[int, str]]:
    """The questions of the polls among the messages, empty where the user has voted, and the
    titles of the to-do lists, empty where all is done."""
    parts = storage.messages.submessages.of_messages(tx, ids)
    polls, lists = {}, {}
    for message in storage.messages.table.find_many(tx, tx.realm_id, list(parts)).values():
        widget = domain.messages.widget_state.of_message(
            replace(message, submessages=parts[message.id])
        )
        if isinstance(widget, Poll):
            polls[message.id] = "" if widget.has_vote_of(user_id) else widget.question
        elif widget is not None:
            is_open = any(not task.is_done for task in widget.tasks)
            lists[message.id] = widget.title if is_open else ""
    return polls, lists


class Unread(msgspec.Struct, frozen=True):
    conversations: list[UnreadConversation]
    message_count: int
    is_cut: bool  # there are older unread messages
    oldest_sent_at: float | None


def find_unread(tx: Tx, viewer: NarrowViewer) -> Unread:
    """The newest unread messages of the user.

    Muted topics are left out, except for messages that mention the user, and so are channels that
    the user has left.
    """
    ids = storage.messages.history.before(tx, _selection(tx, viewer), BEYOND_ALL, MAX_MESSAGES + 1)
    is_cut = len(ids) > MAX_MESSAGES
    subscribed = set(storage.channels.subscriptions.channel_ids_of(tx, viewer.user.id))
    found = [
        each
        for each in _texts(tx, viewer.user.id, ids[-MAX_MESSAGES:])
        if each.channel_id is None or each.channel_id in subscribed
    ]
    oldest = found[0].sent_at if found else None
    return Unread(_by_conversation(tx, viewer, found), len(found), is_cut, oldest)


def summaries(tx: Tx, viewer: NarrowViewer) -> list[tuple[UnreadConversation, Summary]]:
    """The summaries of the unread conversations, for a job; it takes long."""
    found = find_unread(tx, viewer).conversations
    return summarize_all(found, Reader(viewer.user.full_name))


def still_quotable(tx: Tx, user: User, sentences: Iterable[Sentence]) -> list[Sentence]:
    """Those of the sentences that are in messages as they read now and that the user may see."""
    sentences = list(sentences)
    ids = [each.message_id for each in sentences]
    messages = storage.messages.table.find_many(tx, tx.realm_id, ids).values()
    rendered = {
        each.id: each.rendered for each in actions.messages.access.visible(tx, user, messages)
    }
    return [each for each in sentences if quotes(rendered.get(each.message_id, ""), each.text)]


def _selection(tx: Tx, viewer: NarrowViewer) -> Selection:
    """What the user has received, may still see and has not read."""
    selection = actions.messages.narrow_selection.narrowed_to_received(tx, viewer, []).selection
    selection.require_one_of(storage.messages.unread.load(tx, viewer.user.id))
    muted = storage.messages.narrows.muted(selection, viewer.user.id)
    mentioned = storage.messages.flags.of_user(
        "flag = 'mentioned'", user=selection.value(viewer.user.id)
    )
    selection.require(f"({muted}) IS NOT TRUE OR m.id IN ({mentioned})")
    return selection


def _by_conversation(
    tx: Tx, viewer: NarrowViewer, found: list[UnreadText]
) -> list[UnreadConversation]:
    ids = sorted({each.channel_id for each in found if each.channel_id is not None})
    names = {each.id: each.name for each in storage.channels.table.find_many(tx, ids)}
    followed = {
        (each.channel_id, domain.channels.topics.fold(each.topic))
        for each in storage.personal.topic_policies.of_user(tx, viewer.user.id)
        if each.policy == TopicPolicy.FOLLOWED
    }
    conversations: dict[tuple[object, ...], UnreadConversation] = {}
    for each in found:
        key = (each.channel_id, each.topic_key, each.member_ids)
        conversation = conversations.get(key)
        if conversation is None:
            conversation = conversations[key] = UnreadConversation(
                each.channel_id,
                names.get(each.channel_id or 0, ""),
                each.topic,
                each.member_ids,
                (each.channel_id, each.topic_key) in followed,
                [],
            )
        conversation.topic = each.topic  # the newest spelling
        conversation.messages.append(each.message)
    return list(conversations.values())


# --- endpoint ---


class QuotedSentence(msgspec.Struct):
    message_id: MessageId
    sender_id: SenderId
    sender_full_name: SenderFullName
    text: Annotated[str, Doc("The sentence as it was written, as plain text.")]
    reason: Annotated[
        str,
        Doc(
            "Why it was chosen: `question_to_you`, `mention`, `decision`, `date_change`,"
            " `poll`, `to_do`, `question`, `reactions`, `link` or `other`."
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
    unread = await call.db.in_thread.read(find_unread, viewer)
    work = partial(summarize_all, unread.conversations, Reader(call.user.full_name))
    summaries = await CATCH_UPS.run(call.person, work)
    return CatchUp(
        conversations=[
            _caught_up(call, each, summary, allow_empty_topic_name)
            for each, summary in summaries[:max_conversations]
        ],
        conversation_count=len(unread.conversations),
        message_count=unread.message_count,
        since=unread.oldest_sent_at,
        older_left_out=unread.is_cut,
    )


def _caught_up(
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
