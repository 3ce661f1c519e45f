"""Catching up: the unread messages that a user may see, by topic and direct conversation."""

from collections.abc import Iterable

import msgspec

from tertulia import actions, domain, storage
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.database.tx import Tx
from tertulia.domain.messages.catch_up import Reader, Sentence, Summary, UnreadConversation
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.storage.messages.catch_up import UnreadText
from tertulia.storage.messages.selections import BEYOND_ALL, Selection

MAX_MESSAGES = 2000  # the newest ones that are read


class Unread(msgspec.Struct, frozen=True):
    conversations: list[UnreadConversation]
    message_count: int
    is_cut: bool  # there are older unread messages
    oldest_sent_at: float | None


def unread(tx: Tx, viewer: NarrowViewer) -> Unread:
    """The newest unread messages of the user.

    Muted topics are left out, except for messages that mention the user, and so are channels that
    the user has left.
    """
    ids = storage.messages.history.before(tx, _selection(tx, viewer), BEYOND_ALL, MAX_MESSAGES + 1)
    is_cut = len(ids) > MAX_MESSAGES
    subscribed = set(storage.channels.subscriptions.channel_ids_of(tx, viewer.user.id))
    found = [
        each
        for each in storage.messages.catch_up.texts(tx, viewer.user.id, ids[-MAX_MESSAGES:])
        if each.channel_id is None or each.channel_id in subscribed
    ]
    oldest = found[0].sent_at if found else None
    return Unread(_by_conversation(tx, viewer, found), len(found), is_cut, oldest)


def summaries(tx: Tx, viewer: NarrowViewer) -> list[tuple[UnreadConversation, Summary]]:
    """The summaries of the unread conversations, for a job; it takes long."""
    found = unread(tx, viewer).conversations
    return domain.messages.catch_up.summarize_all(found, Reader(viewer.user.full_name))


def still_quotable(tx: Tx, user: User, sentences: Iterable[Sentence]) -> list[Sentence]:
    """Those of the sentences that are in messages as they read now and that the user may see."""
    sentences = list(sentences)
    ids = [each.message_id for each in sentences]
    messages = storage.messages.find_many(tx, tx.realm_id, ids).values()
    rendered = {each.id: each.rendered for each in actions.messages.visible(tx, user, messages)}
    return [
        each
        for each in sentences
        if domain.messages.catch_up.quotes(rendered.get(each.message_id, ""), each.text)
    ]


def _selection(tx: Tx, viewer: NarrowViewer) -> Selection:
    """What the user has received, may still see and has not read."""
    selection = actions.messages.narrow_selection.narrowed_to_received(tx, viewer, []).selection
    selection.require_one_of(storage.messages.unread.load(tx, viewer.user.id))
    muted = storage.messages.narrows.muted(selection, viewer.user.id)
    selection.require(
        f"({muted}) IS NOT TRUE OR m.id IN (SELECT f.message_id FROM message_flag f"
        f" WHERE f.user_id = {selection.value(viewer.user.id)} AND f.flag = 'mentioned')"
    )
    return selection


def _by_conversation(
    tx: Tx, viewer: NarrowViewer, found: list[UnreadText]
) -> list[UnreadConversation]:
    ids = sorted({each.channel_id for each in found if each.channel_id is not None})
    names = {each.id: each.name for each in storage.channels.find_many(tx, ids)}
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
