"""Digests: a weekly mail to users who have been away for days, if there is something to report.

Channels with a protected history are left out: what a user may read there depends on when they were
subscribed.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

import msgspec

from tertulia import actions, api, domain, storage
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.api.call import Services
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.emails import BETWEEN, Email
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.events.directory.organization import Organization
from tertulia.features.catch_up import conversations
from tertulia.features.catch_up.summary import Sentence, Summary, UnreadConversation
from tertulia.features.feature import Feature
from tertulia.features.notifications import mails
from tertulia.jobs import runner
from tertulia.jobs.runner import Job, leader_job

KIND = "digest"  # of the mail

INACTIVE_SECONDS = 5 * 86400.0
APART_SECONDS = 3 * 86400.0  # at least between two digests of a user
PERIOD_SECONDS = 7 * 86400.0
MAX_MESSAGES = 50_000  # of the last days that are counted
BY_WRITERS = 2  # topics with the most senders
MAX_TOPICS = 4  # in all; the others have the most messages
SAMPLES = 2  # messages of each topic
MAX_CHANNELS = 10  # new ones that are listed


class ActiveTopic(msgspec.Struct, frozen=True):
    channel_id: int
    topic: str
    messages: int
    writers: int
    first_ids: tuple[int, ...]  # its first messages
    only_writer: int | None = None  # if one person wrote all of it


def is_day(weekday: int, now: float) -> bool:
    """Whether it is the weekday of digests, from Monday (0) on, in UTC."""
    return datetime.fromtimestamp(now, UTC).weekday() == weekday


def wants(user: User) -> bool:
    return user.is_active and not user.is_bot and bool(user.prefers("enable_digest_emails"))


def chosen(topics: list[ActiveTopic]) -> list[ActiveTopic]:
    """Topics with the most senders, then those with the most messages."""
    by_writers = sorted(topics, key=lambda each: (-each.writers, -each.messages))[:BY_WRITERS]
    others = [each for each in topics if each not in by_writers]
    by_messages = sorted(others, key=lambda each: (-each.messages, -each.writers))
    return [*by_writers, *by_messages][:MAX_TOPICS]


def written_at(tx: Tx) -> dict[int, float]:
    """When each user was last considered."""
    return dict(tx.tuples("SELECT user_id, written_at FROM digest WHERE realm_id = :realm"))


def record(tx: Tx, user_id: int) -> None:
    tx.upsert("digest", ("user_id",), user_id=user_id, written_at=tx.now)


def active_topics(tx: Tx, since: float) -> list[ActiveTopic]:
    """Recent messages of people in channels, by topic."""
    rows = tx.all(
        "SELECT m.id, m.channel_id, t.name AS topic, t.name_key AS topic_key,"
        " m.sender_id FROM message m JOIN topic t ON t.id = m.topic_id"
        " JOIN account a ON a.id = m.sender_id"
        " WHERE m.realm_id = :realm AND m.id > :last AND m.channel_id IS NOT NULL"
        " AND a.bot_type IS NULL ORDER BY m.id DESC LIMIT :limit",
        last=storage.messages.table.last_before(tx, since),
        limit=MAX_MESSAGES,
    )
    ids: dict[tuple[int, str], list[int]] = {}
    writers: dict[tuple[int, str], set[int]] = {}
    names: dict[tuple[int, str], str] = {}
    for row in rows:
        topic_key = (row["channel_id"], row["topic_key"])
        ids.setdefault(topic_key, []).append(row["id"])
        writers.setdefault(topic_key, set()).add(row["sender_id"])
        names.setdefault(topic_key, row["topic"])
    return [
        ActiveTopic(
            channel_id=topic_key[0],
            topic=names[topic_key],
            messages=len(found),
            writers=len(writers[topic_key]),
            first_ids=tuple(reversed(found[-SAMPLES:])),
            only_writer=min(writers[topic_key]) if len(writers[topic_key]) == 1 else None,
        )
        for topic_key, found in ids.items()
    ]


# --- actions ---


def write(
    tx: Tx,
    vault: Vault,
    user_id: int,
    active: Sequence[ActiveTopic],
    since: float,
    site: str,
    unread: Sequence[tuple[UnreadConversation, Summary]] = (),
) -> bool:
    """Send a digest to a user. False if there is nothing to report.

    A topic is quoted from its summary in `unread`, or else by its first messages.
    """
    record(tx, user_id)
    user = storage.people.users.find(tx, user_id)
    if user is None or not wants(user):
        return False
    topics = chosen(_visible(tx, user, active))
    channels = _new_channels(tx, user, since)
    if not topics and not channels:
        return False
    realm = storage.organization.realms.current(tx)
    leave = mails.leave_address(vault, site, KIND, realm.id, user.id)
    shows_content = realm.setting(
        "message_content_allowed_in_email_notifications"
    ) and user.prefers("message_content_in_email_notifications")
    mail = Email(
        KIND,
        user.email,
        domain.emails.language_of(user),
        {
            "organization": realm.name,
            "topics": BETWEEN.join(
                _topic(tx, user, each, bool(shows_content), unread) for each in topics
            ),
            "channels": ", ".join(f"#{each.name}" for each in channels),
            "link": f"{site}/",
            "leave": leave,
        },
        headers=mails.leave_headers(leave),
    )
    actions.outbox.enqueue_mail(tx, vault, mail)
    return True


def _visible(tx: Tx, user: User, active: Sequence[ActiveTopic]) -> list[ActiveTopic]:
    """The topics that a user would see in their channels, without those that they wrote alone."""
    own = {each.channel_id: each for each in storage.channels.subscriptions.of_user(tx, user.id)}
    channels = {
        each.id: each
        for each in storage.channels.table.find_many(tx, sorted(own))
        if each.history_public and not each.archived
    }
    found = []
    for each in active:
        if each.channel_id not in channels or each.only_writer == user.id:
            continue
        policy = storage.personal.topic_policies.policy(tx, user.id, each.channel_id, each.topic)
        is_wanted = policy in (TopicPolicy.UNMUTED, TopicPolicy.FOLLOWED)
        is_muted = policy == TopicPolicy.MUTED or own[each.channel_id].is_muted
        if is_wanted or not is_muted:
            found.append(each)
    return found


def _new_channels(tx: Tx, user: User, since: float) -> list[Channel]:
    if user.is_guest:
        return []
    return [
        each
        for each in storage.channels.table.list_all(tx)
        if each.created_at >= max(since, user.joined_at) and each.is_public and not each.archived
    ][:MAX_CHANNELS]


def _topic(
    tx: Tx,
    user: User,
    active: ActiveTopic,
    with_text: bool,
    unread: Sequence[tuple[UnreadConversation, Summary]],
) -> str:
    channel = storage.channels.table.find(tx, active.channel_id)
    assert channel is not None
    name = domain.channels.topics.shown(active.topic, allow_empty=False)
    title = f"#{channel.name} > {name} ({active.messages})"
    if not with_text:
        return title
    quoted = _quoted(tx, user, active, unread)
    if quoted:
        names = actions.people.visible_users.names_for(
            tx, user, [each.sender_id for each in quoted]
        )
        return BETWEEN.join([title, *(f"{names[each.sender_id]}: {each.text}" for each in quoted)])
    stored = storage.messages.table.find_many(tx, tx.realm_id, active.first_ids).values()
    # One may have moved where the user may not read, since the topics were counted for all users.
    messages = {each.id: each for each in actions.messages.access.visible(tx, user, stored)}
    senders = [each.sender_id for each in messages.values()]
    names = actions.people.visible_users.names_for(tx, user, senders)
    lines = [_line(names, messages[number]) for number in active.first_ids if number in messages]
    return BETWEEN.join([title, *lines])


def _quoted(
    tx: Tx,
    user: User,
    active: ActiveTopic,
    unread: Sequence[tuple[UnreadConversation, Summary]],
) -> list[Sentence]:
    """What matters of a topic, in the order in which it was written."""
    key = domain.messages.message.topic_key(active.channel_id, active.topic)
    for conversation, summary in unread:
        topic_location = conversation.channel_id, conversation.topic
        if domain.messages.message.topic_key(*topic_location) == key:
            found = conversations.still_quotable(tx, user, summary.sentences)
            return sorted(found, key=lambda each: each.message_id)
    return []


def _line(names: dict[int, str], message: Message) -> str:
    return mails.in_a_line(names[message.sender_id], message)


# --- job ---


async def write_all(services: Services) -> None:
    """Write to users who were away, on the weekday that their organization chose."""

    async def write_of(realm_id: int) -> None:
        org = await services.delivery.follower.finder.find(realm_id)
        if org is None:
            return
        realm, now = org.realm, database.clock()
        is_today = is_day(realm.setting("digest_weekday"), now)
        if not realm.setting("digest_emails_enabled") or not is_today or realm.deactivated:
            return
        db = database.of(realm.id)
        written = await db.read(written_at)
        people = [
            user.id
            for user in org.users.values()
            if wants(user)
            and now - written.get(user.id, 0.0) > APART_SECONDS
            and now - _last_active(org, user) > INACTIVE_SECONDS
        ]
        if not people:
            return
        since = now - PERIOD_SECONDS
        active = await db.in_thread.read(active_topics, since)
        site = api.call.site_of(services.config, realm)
        for user_id in people:
            viewer = NarrowViewer(org.users[user_id], org.email_domain)
            unread = await db.in_thread.read(conversations.summaries, viewer)
            await db.write(write, services.vault, user_id, active, since, site, unread)

    database = services.database
    await runner.for_each(await database.of(0).read(_realms_with_digests), write_of)


def _realms_with_digests(tx: Tx) -> list[int]:
    return tx.column("SELECT id FROM realm WHERE settings LIKE '%\"digest_emails_enabled\"%'")


def _last_active(org: Organization, user: User) -> float:
    presence = org.presence.find(user.id)
    return user.joined_at if presence is None else max(user.joined_at, presence.idle_at)


def _jobs(services: Services) -> Iterator[Job]:
    if services.config.sends_mail:
        yield leader_job("digests", 600, partial(write_all, services))


FEATURE = Feature(jobs=_jobs)
