"""Drafts: renders the content of a message before it is sent.

Rendering runs before the transaction. References are resolved from the directory, as far as the
author may see them; only the newest messages of linked topics and files are read from the database.
Endpoints and jobs both use it.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import msgspec

from tertulia import domain, markdown, storage
from tertulia.actions.files import attachments
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.directory.organization import Organization
from tertulia.fair_queue import FairQueue
from tertulia.markdown import References, Rendered, Resolved, Settings, Upload
from tertulia.storage.messages.selections import RECEIVED_IN_CHANNEL, SHARES_HISTORY, Selection

MAX_HTML_LENGTH = 1_000_000  # characters; longer output is not meant to be read
MAX_TOPICS = 50  # linked topics that are resolved; others stay as they are
MAX_FILES = 100  # linked files that are resolved

QUICK_LENGTH = 500
_MAY_BE_SLOW = re.compile(r"```|~~~|\$\$|:::|#!")

# One slot: rendering holds the interpreter lock, and lexers are not thread-safe.
RENDERING = FairQueue("rendering", slots=1, max_waiting=100)

T = TypeVar("T")


class Author(msgspec.Struct, frozen=True):
    """A user who writes, their organization, and the URL they use.

    Without a user it is the organization itself, which mentions no one.
    """

    db: OrgDatabase
    org: Organization
    user: User | None
    site: str = ""


async def compose(
    author: Author,
    content: str,
    client: str,
    read_by_sender: bool | None,
    widget: dict[str, Any] | None = None,
) -> Draft:
    content = domain.messages.message.checked_content(content)
    found = await _resolve(author, markdown.scan(content))
    settings, alert_words = _settings(author), author.org.alert_words
    rendered, alerted = await _on_thread_if_slow(
        author,
        content,
        lambda: (_rendered(content, found, settings), alert_words.matches(content)),
    )
    return Draft(
        content=content,
        rendered=rendered.html,
        render_version=markdown.VERSION,
        client=client,
        read_by_sender=domain.messages.message.is_read_by_sender(read_by_sender, client),
        mentions=Mentions(
            user_ids=rendered.mentioned_user_ids,
            group_ids=rendered.mentioned_group_ids,
            channel_wildcard=rendered.mentions_channel,
            topic_wildcard=rendered.mentions_topic,
        ),
        has_link=rendered.has_link,
        has_image=rendered.has_image,
        path_ids=tuple(
            domain.files.attachments.linked_path_id(written)
            for written in rendered.attachment_path_ids
            if written in found.uploads
        ),
        alerted=alerted,
        widget_payload=None if widget is None else domain.messages.widgets.widget_of_client(widget),
        wants_previews=rendered.has_link
        and author.org.realm.setting("inline_url_embed_preview")
        and bool(domain.messages.link_previews.links_in(rendered.html)),
    )


async def rendering(author: Author, content: str) -> Rendered:
    """The message as HTML, and what it mentions. Raises if the output is too long."""
    found = await _resolve(author, markdown.scan(content))
    settings = _settings(author)
    return await _on_thread_if_slow(author, content, lambda: _rendered(content, found, settings))


def _rendered(content: str, found: Resolved, settings: Settings) -> Rendered:
    rendered = markdown.render(content, found, settings)
    if len(rendered.html) > MAX_HTML_LENGTH:
        raise BadRequest("Unable to render message", problem="message-not-rendered")
    return rendered


async def describe(author: Author, text: str) -> str:
    """The description of a folder or the organization as HTML."""
    found = await _resolve(author, markdown.scan(text))
    settings = _settings(author)
    return await _on_thread_if_slow(
        author, text, lambda: markdown.render_text(text, found, settings)
    )


async def describe_channel(author: Author, text: str) -> str:
    """The description of a channel as HTML on one line."""
    found = await _resolve(author, markdown.scan(text))
    settings = _settings(author)
    return await _on_thread_if_slow(
        author, text, lambda: markdown.render_description(text, found, settings)
    )


async def _on_thread_if_slow(author: Author, text: str, work: Callable[[], T]) -> T:
    """Run quick work at once, and slow work on a thread, when it is the author's turn."""
    if len(text) <= QUICK_LENGTH and not _MAY_BE_SLOW.search(text):
        return work()
    return await RENDERING.run(author.db.person, work)


def _settings(author: Author) -> Settings:
    realm = author.org.realm
    return Settings(
        base_url=author.site,
        default_code_language=realm.setting("default_code_block_language"),
        translate_emoticons=author.user is not None and author.user.prefers("translate_emoticons"),
        image_previews=realm.setting("inline_image_preview"),
        linkifiers=author.org.link_patterns,
        custom_emoji=author.org.emoji_sources,
    )


# --- references ---


async def _resolve(author: Author, wanted: References) -> Resolved:
    """Resolve what the author may mention and link."""
    user, org = author.user, author.org
    if user is None or not wanted:
        return Resolved()
    channels = {
        channel.name: channel
        for name in wanted.channel_names
        if (channel := _find_channel(org, user, name)) is not None
    }
    is_known = partial(org.may_know, user)
    topics = sorted((channels[name].id, topic) for name, topic in wanted.topics if name in channels)
    newest = {}
    if topics:
        newest = await author.db.read(_newest_in_topics, user.id, topics[:MAX_TOPICS])
    uploads = {}
    if wanted.upload_path_ids:
        uploads = await author.db.read(_uploads, user, sorted(wanted.upload_path_ids)[:MAX_FILES])
    return Resolved(
        users_by_name={
            name: _as_mention(named)
            for name in wanted.user_names
            if (named := _single(filter(is_known, org.accounts.named(name)))) is not None
        },
        users_by_id={
            user_id: _as_mention(named)
            for user_id in wanted.user_ids
            if (named := org.users.get(user_id)) is not None
            and not named.is_system_bot
            and is_known(named)
        },
        groups={
            group.name: markdown.MentionedGroup(group.id, group.name, not group.deactivated)
            for group in org.groups.values()
            if group.name in wanted.group_names
        },
        channels=channels,
        newest_in_topic=newest,
        uploads=uploads,
    )


def _single(users: Iterable[User]) -> User | None:
    """The only user with this name, if there is one; active users take precedence."""
    people = [user for user in users if not user.is_system_bot]
    present = [user for user in people if user.is_active] or people
    return present[0] if len(present) == 1 else None


def _as_mention(user: User) -> markdown.MentionedUser:
    return markdown.MentionedUser(user.id, user.full_name, user.is_active)


def _find_channel(org: Organization, user: User, name: str) -> markdown.LinkedChannel | None:
    channel = org.channel_named(name)
    if channel is None or channel.name != name or not org.may_read(user.id, channel.id):
        return None
    return markdown.LinkedChannel(channel.id, channel.name)


def _uploads(tx: Tx, user: User, written: list[str]) -> dict[str, Upload]:
    """The files that the user may read, by their URLs as written."""
    by_path = {domain.files.attachments.linked_path_id(each): each for each in written}
    return {
        by_path[file.path_id]: Upload(
            path_id=file.path_id,
            content_type=file.shown_type,
            width=file.media.width,
            height=file.media.height,
            is_animated=file.media.is_animated,
            thumbnail=file.thumbnail_url,
        )
        for file in attachments.filter_readable(tx, user, list(by_path))
    }


def _newest_in_topics(
    tx: Tx, user_id: int, topics: list[tuple[int, str]]
) -> dict[tuple[int, str], int]:
    """The newest message that the user may see in each topic."""
    found = {}
    for channel_id, topic in topics:
        selection = Selection(by_realm=False)
        key = domain.channels.topics.fold(topic)
        selection.require(storage.messages.narrows.in_topic(tx, selection, channel_id, key))
        selection.require(f"{SHARES_HISTORY} OR {RECEIVED_IN_CHANNEL}", me=user_id)
        newest = storage.messages.history.newest(tx, selection)
        if newest is not None:
            found[channel_id, topic.lower()] = newest
    return found
