"""Topic policies of a user: muted, unmuted, followed, or none."""

from enum import IntEnum


class Visibility(IntEnum):
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
    current: Visibility,
    follow: Automatic,
    unmute: Automatic,
    *,
    channel_muted: bool,
    starts_topic: bool,
) -> Visibility:
    """The sender's policy for a topic after sending to it."""
    if current == Visibility.FOLLOWED:
        return current
    if follow in _BY_SENDING:
        return Visibility.FOLLOWED
    if current != Visibility.NONE:
        return Visibility.UNMUTED if channel_muted and unmute in _BY_SENDING else current
    if follow == Automatic.ON_INITIATION and starts_topic:
        return Visibility.FOLLOWED
    if channel_muted and (
        unmute in _BY_SENDING or (unmute == Automatic.ON_INITIATION and starts_topic)
    ):
        return Visibility.UNMUTED
    return current


def after_participating(
    current: Visibility, follow: Automatic, unmute: Automatic, *, channel_muted: bool
) -> Visibility:
    """A user's policy for a topic after participating without sending."""
    if current == Visibility.FOLLOWED or follow == Automatic.ON_PARTICIPATION:
        return Visibility.FOLLOWED
    if channel_muted and unmute == Automatic.ON_PARTICIPATION:
        return Visibility.UNMUTED
    return current


def after_merging(one: Visibility, other: Visibility) -> Visibility:
    """The policy for a topic into which another one was merged."""
    if one == other:
        return one
    for stronger in (Visibility.FOLLOWED, Visibility.UNMUTED):
        if stronger in (one, other):
            return stronger
    return Visibility.NONE


def is_muted(channel_muted: bool, policy: Visibility | None) -> bool:
    """Whether messages of a topic are muted."""
    if policy == Visibility.MUTED:
        return True
    return channel_muted and policy not in (Visibility.UNMUTED, Visibility.FOLLOWED)
