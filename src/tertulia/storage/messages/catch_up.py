"""The texts of unread messages, for catching up."""

import html
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from tertulia import domain, storage
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.messages.catch_up import CatchUpMessage
from tertulia.domain.messages.widget_state import Poll

AT_ONCE = 1000  # ids per query


class UnreadText(msgspec.Struct, frozen=True):
    """A message and the place where it is."""

    message: CatchUpMessage
    channel_id: int | None
    topic: str
    topic_key: str
    member_ids: tuple[int, ...]
    sent_at: float


def texts(tx: Tx, user_id: int, message_ids: Sequence[int]) -> list[UnreadText]:
    """These messages, which the reader may see, in the order of their ids."""
    ids = list(message_ids)
    found: list[UnreadText] = []
    for start in range(0, len(ids), AT_ONCE):
        found += _texts(tx, user_id, ids[start : start + AT_ONCE])
    return found


def _texts(tx: Tx, user_id: int, ids: list[int]) -> list[UnreadText]:
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
        _text(
            row,
            lists.get(row["id"], row["rendered"]),
            flags.get(row["id"], set()),
            polls.get(row["id"]),
        )
        for row in rows
    ]


def _text(row: Row, rendered: str, flags: set[str], poll: str | None) -> UnreadText:
    message = CatchUpMessage(
        row["id"],
        row["sender_id"],
        rendered,
        is_mention="mentioned" in flags,
        is_wildcard=bool(row["channel_wildcard"]) or "topic_wildcard_mentioned" in flags,
        has_alert_word="has_alert_word" in flags,
        reactions=row["reactions"],
        poll=poll,
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
    titles of the to-do lists, as HTML."""
    parts = storage.messages.submessages.of_messages(tx, ids)
    polls, lists = {}, {}
    for message in storage.messages.find_many(tx, tx.realm_id, list(parts)).values():
        widget = domain.messages.widget_state.of_message(
            replace(message, submessages=parts[message.id])
        )
        if isinstance(widget, Poll):
            polls[message.id] = "" if widget.has_vote_of(user_id) else widget.question
        elif widget is not None:
            lists[message.id] = f"<p>{html.escape(widget.title)}</p>"
    return polls, lists
