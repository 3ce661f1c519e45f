"""Editing, moving and deleting messages, and their edit history."""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, events
from tertulia.actions.messages.edits import MessageChanges
from tertulia.api.call import Call
from tertulia.domain.messages.external_pictures import Shown
from tertulia.domain.messages.message import Edit, Message
from tertulia.errors import BadRequest
from tertulia.events.types.files.attachments import AttachmentObject
from tertulia.events.types.messages.edits import PropagateMode
from tertulia.fair_queue import FairQueue
from tertulia.http.parameter_rules import Alias, Id, MaxLength
from tertulia.http.replies import Reply

EMPTIED = "(deleted)"
DELETING_SECONDS = 50  # the client then repeats the call

# One slot: comparing holds the interpreter, so a second thread would not make it faster.
DIFFS = FairQueue("diffs", slots=1, max_waiting=100)


class EditedMessage(Reply):
    detached_uploads: list[AttachmentObject]


class Version(msgspec.Struct, kw_only=True):
    content: str
    rendered_content: str
    timestamp: int
    topic: str
    user_id: int
    prev_content: str | UnsetType = UNSET
    prev_rendered_content: str | UnsetType = UNSET
    content_html_diff: str | UnsetType = UNSET
    prev_topic: str | UnsetType = UNSET
    prev_stream: int | UnsetType = UNSET
    stream: int | UnsetType = UNSET


class EditHistory(Reply):
    message_history: list[Version]


class TopicDeleted(Reply):
    complete: bool


class TopicDeletionPreview(Reply):
    message_count: int
    oldest_timestamp: int | None
    newest_timestamp: int | None


async def update(
    call: Call,
    message_id: int,
    *,
    content: str | None = None,
    topic: Annotated[str | None, Alias("subject")] = None,
    stream_id: Id | None = None,
    propagate_mode: PropagateMode = "change_one",
    send_notification_to_old_thread: bool = False,
    send_notification_to_new_thread: bool = True,
    prev_content_sha256: Annotated[str | None, MaxLength(64)] = None,
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
    detached = await call.db.write(actions.messages.edits.change, call.user, message_id, changes)
    return EditedMessage(
        detached_uploads=[
            events.types.files.attachments.attachment_object(each) for each in detached
        ]
    )


async def delete(call: Call, message_id: int) -> None:
    """Delete a message permanently."""
    await call.db.write(actions.messages.deletion.delete, call.user, message_id)


async def remove_link_previews(call: Call, message_id: int) -> None:
    """Remove the previews of linked pages below a message for good."""
    await call.db.write(actions.messages.link_previews.remove, call.user, message_id)


async def delete_topic(
    call: Call, stream_id: int, *, topic_name: Annotated[str, MaxLength(1000)]
) -> TopicDeleted:
    """Delete all messages of a topic; repeat while `complete` is false."""
    until = call.now + DELETING_SECONDS
    while not await call.db.write(
        actions.messages.deletion.delete_topic, call.user, stream_id, topic_name
    ):
        if call.now > until:
            return TopicDeleted(complete=False)
    return TopicDeleted(complete=True)


async def preview_topic_deletion(
    call: Call, stream_id: int, *, topic_name: Annotated[str, MaxLength(1000)]
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
    call: Call, message_id: int, *, allow_empty_topic_name: bool = False
) -> EditHistory:
    """Get the edit history of a message, oldest version first."""
    if call.org.realm.setting("message_edit_history_visibility_policy") == "none":
        raise BadRequest("Message edit history is disabled in this organization")
    message, _ = await call.db.read(actions.messages.history.get, call.user, message_id)
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
