"""Topic policies: set by a user, or automatically by what they do in a topic."""

from collections.abc import Sequence

from tertulia import domain, events, storage
from tertulia.actions.channels import lookups
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import Automatic, TopicPolicy
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNameNotFound, ChannelNotAccessible
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Users
from tertulia.events.types.personal.topic_policies import TopicPolicyChanged


def set_policy(tx: Tx, user: User, channel_id: int, topic: str, policy: TopicPolicy) -> None:
    """Mute, unmute or follow a topic, or clear its policy."""
    # Clearing always succeeds: an error would reveal which channels exist.
    if policy != TopicPolicy.NONE:
        lookups.visible_to(tx, user, channel_id)
        _check_limits(tx, user, channel_id, topic, policy)
    change(tx, user.id, channel_id, topic, policy)


def mute(tx: Tx, user: User, where: int | str, topic: str) -> None:
    """Compat: before feature level 170 a separate call muted a topic."""
    channel = lookups.named(tx, user, where)
    if channel is None:
        if isinstance(where, int):
            raise ChannelNotAccessible()
        raise ChannelNameNotFound(name=where)
    set_policy(tx, user, channel.id, topic, TopicPolicy.MUTED)


def unmute(tx: Tx, user: User, where: int | str, topic: str) -> None:
    """Clear a policy. A hidden topic and a missing one are both reported as not muted."""
    found = _find(tx, where)
    channel = lookups.if_visible(tx, user, found)
    if (
        channel is None
        and found is not None
        and storage.personal.topic_policies.policy(tx, user.id, found.id, topic) != TopicPolicy.NONE
    ):
        channel = found  # they could see it when they set the policy
    if channel is None:
        raise BadRequest("Topic is not muted", problem="topic-not-muted")
    change(tx, user.id, channel.id, topic, TopicPolicy.NONE)


# --- automatic changes ---


def sent(
    tx: Tx, sender: User, channel: Channel, topic: str, starts_topic: bool
) -> TopicPolicy | None:
    """Follow or unmute a topic as its sender has chosen. Returns the policy if it changed."""
    if sender.is_bot:
        return None
    current = storage.personal.topic_policies.policy(tx, sender.id, channel.id, topic)
    if current == TopicPolicy.FOLLOWED:
        return None
    policy = domain.personal.topic_policies.after_sending(
        current,
        *_automatic(sender),
        channel_muted=_has_muted(tx, sender, channel),
        starts_topic=starts_topic,
    )
    return policy if _change_by_itself(tx, sender.id, channel, topic, current, policy) else None


def participated(tx: Tx, user: User, channel: Channel, topic: str) -> None:
    """A user participated in a topic without sending, for example by a reaction."""
    if user.is_bot:
        return
    current = storage.personal.topic_policies.policy(tx, user.id, channel.id, topic)
    policy = domain.personal.topic_policies.after_participating(
        current, *_automatic(user), channel_muted=_has_muted(tx, user, channel)
    )
    _change_by_itself(tx, user.id, channel, topic, current, policy)


def mentioned(tx: Tx, user_ids: Sequence[int], channel: Channel, topic: str) -> None:
    """Mentioned users follow the topic, if they want that and have not muted it."""
    known = (
        storage.personal.topic_policies.policies(tx, channel.id, topic, user_ids)
        if user_ids
        else {}
    )
    for user in storage.people.users.find_many(tx, list(user_ids)) if user_ids else ():
        current = known.get(user.id, TopicPolicy.NONE)
        wants = not user.is_bot and user.prefers("automatically_follow_topics_where_mentioned")
        if wants and current != TopicPolicy.MUTED:
            _change_by_itself(tx, user.id, channel, topic, current, TopicPolicy.FOLLOWED)


def move(tx: Tx, channel_id: int, topic: str, new_channel: Channel, new_topic: str) -> None:
    """A whole topic has moved: move its policies.

    Call it before the messages move, so that it can see whether topics are merged.
    """
    merges = storage.channels.topics.exists(tx, new_channel.id, new_topic)
    before = storage.personal.topic_policies.policies(tx, channel_id, topic)
    there = storage.personal.topic_policies.policies(tx, new_channel.id, new_topic)
    for user_id in sorted(before.keys() | (there.keys() if merges else set())):
        old = before.get(user_id, TopicPolicy.NONE)
        target = there.get(user_id, TopicPolicy.NONE)
        user = storage.people.users.find(tx, user_id)
        is_seen = user is not None and lookups.may_see(tx, user, new_channel)
        moved = domain.personal.topic_policies.after_merging(old, target) if merges else old
        changes_there = is_seen and moved != target
        # Compat: of two changes, the last one carries the list of mutes for older clients.
        change(
            tx,
            user_id,
            channel_id,
            topic,
            TopicPolicy.NONE,
            announces_mutes=old == TopicPolicy.MUTED and not changes_there,
        )
        if changes_there:
            change(tx, user_id, new_channel.id, new_topic, moved)


def change(
    tx: Tx,
    user_id: int,
    channel_id: int,
    topic: str,
    policy: TopicPolicy,
    *,
    announces_mutes: bool = True,
) -> bool:
    """Set a policy and announce it to its owner, unless it is unchanged."""
    if storage.personal.topic_policies.policy(tx, user_id, channel_id, topic) == policy:
        return False
    storage.personal.topic_policies.set_policy(tx, user_id, channel_id, topic, policy)
    events.log.announce(
        tx,
        TopicPolicyChanged(
            channel_id, topic, int(policy), tx.now, mutes_of=user_id if announces_mutes else None
        ),
        to=Users([user_id]),
    )
    return True


def _change_by_itself(
    tx: Tx, user_id: int, channel: Channel, topic: str, current: TopicPolicy, policy: TopicPolicy
) -> bool:
    if current == policy:
        return False
    if (
        current == TopicPolicy.NONE
        and storage.personal.topic_policies.count_of(tx, user_id)
        >= domain.limits.MAX_TOPIC_POLICIES
    ):
        return False  # the change is automatic, so a limit is no error
    # Compat: older clients get their list of mutes if a mute was removed.
    announces_mutes = current == TopicPolicy.MUTED
    return change(tx, user_id, channel.id, topic, policy, announces_mutes=announces_mutes)


def _automatic(user: User) -> tuple[Automatic, Automatic]:
    """When the user wants to follow, and when to unmute."""
    return (
        Automatic(user.prefers("automatically_follow_topics_policy")),
        Automatic(user.prefers("automatically_unmute_topics_in_muted_streams_policy")),
    )


def _has_muted(tx: Tx, user: User, channel: Channel) -> bool:
    subscription = storage.channels.subscriptions.find(tx, user.id, channel.id)
    return subscription is not None and subscription.active and subscription.is_muted


def _find(tx: Tx, where: int | str) -> Channel | None:
    if isinstance(where, int):
        return storage.channels.table.find(tx, where)
    return storage.channels.table.find_by_name(tx, where)


def _check_limits(tx: Tx, user: User, channel_id: int, topic: str, policy: TopicPolicy) -> None:
    current = storage.personal.topic_policies.policy(tx, user.id, channel_id, topic)
    if (
        policy == TopicPolicy.MUTED != current
        and storage.personal.topic_policies.count_of(tx, user.id, TopicPolicy.MUTED)
        >= domain.limits.MAX_MUTED_TOPICS
    ):
        raise TooMany("muted topics", domain.limits.MAX_MUTED_TOPICS)
    if (
        current == TopicPolicy.NONE
        and storage.personal.topic_policies.count_of(tx, user.id)
        >= domain.limits.MAX_TOPIC_POLICIES
    ):
        raise TooMany("topics muted, unmuted or followed", domain.limits.MAX_TOPIC_POLICIES)
