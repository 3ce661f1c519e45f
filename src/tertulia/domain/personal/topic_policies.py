"""Topic policies of a user: muted, unmuted, followed, or none."""

from enum import IntEnum


class TopicPolicy(IntEnum):
    NONE = 0
    MUTED = 1
    UNMUTED = 2
    FOLLOWED = 3


class Automatic(IntEnum):
    """When a policy changes automatically."""

    ON_PARTICIPATION = 1
    ON_SEND = 2
    ON_INITIATION = 3
    NEVER = 4


_BY_SENDING = (Automatic.ON_PARTICIPATION, Automatic.ON_SEND)


def after_sending(
    current: TopicPolicy,
    follow: Automatic,
    unmute: Automatic,
    *,
    channel_muted: bool,
    starts_topic: bool,
) -> TopicPolicy:
    """The sender's policy for a topic after sending to it."""
    if current == TopicPolicy.FOLLOWED:
        return current
    if follow in _BY_SENDING:
        return TopicPolicy.FOLLOWED
    if current != TopicPolicy.NONE:
        return TopicPolicy.UNMUTED if channel_muted and unmute in _BY_SENDING else current
    if follow == Automatic.ON_INITIATION and starts_topic:
        return TopicPolicy.FOLLOWED
    if channel_muted and (
        unmute in _BY_SENDING or (unmute == Automatic.ON_INITIATION and starts_topic)
    ):
        return TopicPolicy.UNMUTED
    return current


def after_participating(
    current: TopicPolicy, follow: Automatic, unmute: Automatic, *, channel_muted: bool
) -> TopicPolicy:
    """A user's policy for a topic after participating without sending."""
    if current == TopicPolicy.FOLLOWED or follow == Automatic.ON_PARTICIPATION:
        return TopicPolicy.FOLLOWED
    if channel_muted and unmute == Automatic.ON_PARTICIPATION:
        return TopicPolicy.UNMUTED
    return current


def after_merging(one: TopicPolicy, other: TopicPolicy) -> TopicPolicy:
    """The policy for a topic into which another one was merged."""
    if one == other:
        return one
    for stronger in (TopicPolicy.FOLLOWED, TopicPolicy.UNMUTED):
        if stronger in (one, other):
            return stronger
    return TopicPolicy.NONE


def is_muted(channel_muted: bool, policy: TopicPolicy | None) -> bool:
    """Whether messages of a topic are muted."""
    if policy == TopicPolicy.MUTED:
        return True
    return channel_muted and policy not in (TopicPolicy.UNMUTED, TopicPolicy.FOLLOWED)
