"""Editing, moving and deleting messages, and their edit history."""

from contextlib import suppress
from functools import partial
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, events
from tertulia.actions.messages.edits import MessageChanges, MoveInterrupted, PreparedMove
from tertulia.api.call import Call
from tertulia.domain.files.attachments import Attachment
from tertulia.domain.messages.external_pictures import Shown
from tertulia.domain.messages.message import Edit, Message
from tertulia.errors import BadRequest
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.types.files.attachments import AttachmentObject
from tertulia.events.types.messages.edits import PropagateMode
from tertulia.fair_queue import FairQueue
from tertulia.http.parameter_rules import Alias, Example, MaxLength
from tertulia.http.replies import Reply
from tertulia.storage.messages.edits import TopicPart
from tertulia.wire import Doc
from tertulia.wire_fields import (
    AllowEmptyTopicName,
    ChannelId,
    Complete,
    EditTime,
    HtmlText,
    MarkdownText,
    MessageCount,
    MessageId,
    NewestTimestamp,
    OldestTimestamp,
    PreviousChannel,
    PreviousHtml,
    PreviousText,
    PreviousTopic,
)

EMPTIED = "(deleted)"
MAX_PREPARATIONS = 5  # of a move, because other users move or send messages meanwhile
DELETING_SECONDS = 50  # the client then repeats the call

# One slot: comparing holds the interpreter, so a second thread would not make it faster.
DIFFS = FairQueue("diffs", slots=1, max_waiting=100)


TopicName = Annotated[str, MaxLength(1000), Doc("The topic.", example="lunch")]


class EditedMessage(Reply):
    detached_uploads: Annotated[
        list[AttachmentObject], Doc("Files that no message links any more.")
    ]


class Version(msgspec.Struct, kw_only=True):
    content: MarkdownText
    rendered_content: HtmlText
    timestamp: EditTime
    topic: Annotated[str, Doc("The topic since this version.")]
    user_id: Annotated[int, Doc("The id of the user who made this version; null if unknown.")]
    prev_content: PreviousText | UnsetType = UNSET
    prev_rendered_content: PreviousHtml | UnsetType = UNSET
    content_html_diff: Annotated[
        str | UnsetType, Doc("The difference to the previous version, as HTML.")
    ] = UNSET
    prev_topic: PreviousTopic | UnsetType = UNSET
    prev_stream: PreviousChannel | UnsetType = UNSET
    stream: Annotated[int | UnsetType, Doc("The id of the channel since this version.")] = UNSET


class EditHistory(Reply):
    message_history: Annotated[list[Version], Doc("The versions, oldest first.")]


class TopicDeleted(Reply):
    complete: Complete


class TopicDeletionPreview(Reply):
    message_count: MessageCount
    oldest_timestamp: OldestTimestamp | None
    newest_timestamp: NewestTimestamp | None


async def update(
    call: Call,
    message_id: MessageId,
    *,
    content: Annotated[MarkdownText | None, Example("Soup is on, and bread!")] = None,
    topic: Annotated[str | None, Alias("subject"), Doc("The topic.")] = None,
    stream_id: ChannelId | None = None,
    propagate_mode: Annotated[
        PropagateMode,
        Doc("Which messages of the topic to move: `change_one`, `change_later` or `change_all`."),
    ] = "change_one",
    send_notification_to_old_thread: Annotated[
        bool, Doc("Whether to post a notice in the old topic.")
    ] = False,
    send_notification_to_new_thread: Annotated[
        bool, Doc("Whether to post a notice in the new topic.")
    ] = True,
    prev_content_sha256: Annotated[
        str | None,
        MaxLength(64),
        Doc("The SHA-256 of the content that the client wants to replace."),
    ] = None,
) -> EditedMessage:
    """Edit a message, or move it, optionally with other messages of its topic."""
    draft = None
    if content is not None:
        words = content if content.strip() else EMPTIED
        draft = await actions.messages.draft.compose(call.author, words, call.client, None)
    changes = MessageChanges(
        draft=draft,
        topic=None if topic is None else domain.channels.topics.for_sending(topic),
        channel_id=stream_id,
        mode=propagate_mode,
        notifies_old_topic=send_notification_to_old_thread,
        notifies_new_topic=send_notification_to_new_thread,
        expected_sha256=prev_content_sha256,
        site=call.site,
        address=call.request.client_address,
    )
    detached = await _change(call, message_id, changes)
    return EditedMessage(
        detached_uploads=[
            events.types.files.attachments.attachment_object(each) for each in detached
        ]
    )


async def _change(call: Call, message_id: int, changes: MessageChanges) -> list[Attachment]:
    """Apply the changes. Many messages that leave their topic or channel are prepared, so that
    other users can send meanwhile; all of them move in the last transaction."""
    acting, user = actions.messages.edits, call.user
    for _ in range(MAX_PREPARATIONS):
        part = await call.db.write(acting.change, user, message_id, changes, True)
        if isinstance(part, PreparedMove):
            with suppress(MoveInterrupted, ServiceUnavailable):
                db = call.db.prepared_by(partial(acting.prepare, move=part))
                moved = await db.write(acting.change, user, message_id, changes, False, part)
                return _moved(moved)
            continue
        if not isinstance(part, TopicPart):
            return part
        row_id: int | None = None
        for portion in domain.portions.split(part.ids, part.portion):
            row_id = await call.db.write(acting.split, part, portion, row_id)
            if row_id is None:
                break
    return _moved(await call.db.write(acting.change, user, message_id, changes))


def _moved(result: list[Attachment] | TopicPart | PreparedMove) -> list[Attachment]:
    assert isinstance(result, list)
    return result


async def delete(call: Call, message_id: MessageId) -> None:
    """Delete a message permanently."""
    await call.db.write(actions.messages.deletion.delete, call.user, message_id)


async def delete_topic(call: Call, stream_id: ChannelId, *, topic_name: TopicName) -> TopicDeleted:
    """Delete all messages of a topic; repeat while `complete` is false."""
    until = call.now + DELETING_SECONDS
    while not await call.db.write(
        actions.messages.deletion.delete_topic, call.user, stream_id, topic_name
    ):
        if call.now > until:
            return TopicDeleted(complete=False)
    return TopicDeleted(complete=True)


async def preview_topic_deletion(
    call: Call, stream_id: ChannelId, *, topic_name: TopicName
) -> TopicDeletionPreview:
    """Count the messages that deleting a topic would delete, without deleting it."""
    found = await call.db.read(
        actions.messages.deletion.preview_topic, call.user, stream_id, topic_name
    )
    return TopicDeletionPreview(
        message_count=found.count,
        oldest_timestamp=None if found.oldest_at is None else int(found.oldest_at),
        newest_timestamp=None if found.newest_at is None else int(found.newest_at),
    )


async def history(
    call: Call, message_id: MessageId, *, allow_empty_topic_name: AllowEmptyTopicName = False
) -> EditHistory:
    """Get the edit history of a message, oldest version first."""
    if call.org.realm.setting("message_edit_history_visibility_policy") == "none":
        raise BadRequest(
            "Message edit history is disabled in this organization", problem="edit-history-disabled"
        )
    message, _ = await call.db.read(
        actions.messages.history.get, call.user, message_id, all_texts=True
    )
    versions = _versions(
        call.org.shown,
        message,
        events.types.messages.message.visible_edits(call.org, message.edits),
        allow_empty_topic_name,
    )
    if any(each.prev_rendered_content is not UNSET for each in versions):
        await DIFFS.run(call.person, partial(_add_diffs, versions))
    return EditHistory(versions)


def _versions(
    as_shown: Shown, message: Message, edits: list[Edit], allow_empty_topic: bool
) -> list[Version]:
    """The versions of a message, computed backwards from the present one, oldest first."""
    content, rendered, topic = message.content, message.rendered, message.topic
    versions: list[Version] = []

    def shown(text: str) -> str:
        return (
            domain.channels.topics.shown(text, allow_empty_topic)
            if message.channel_id is not None
            else ""
        )

    def version(at: float, user_id: int) -> Version:
        return Version(
            content=content,
            rendered_content=as_shown(rendered),
            timestamp=int(at),
            topic=shown(topic),
            user_id=user_id,
        )

    for each in reversed(edits):
        found = version(each.edited_at, each.user_id)
        if each.prev_content is not None and each.prev_rendered is not None:
            found.prev_content = content = each.prev_content
            rendered = each.prev_rendered
            found.prev_rendered_content = as_shown(rendered)
        if each.prev_topic is not None:
            found.prev_topic = shown(each.prev_topic)
            topic = each.prev_topic
        if each.prev_channel_id is not None and each.channel_id is not None:
            found.prev_stream, found.stream = each.prev_channel_id, each.channel_id
        versions.append(found)
    versions.append(version(message.sent_at, message.sender_id))
    return versions[::-1]


def _add_diffs(versions: list[Version]) -> None:
    for each in versions:
        if isinstance(each.prev_rendered_content, str):
            each.content_html_diff = domain.messages.diffs.html_diff(
                each.prev_rendered_content, each.rendered_content
            )
