"""The sender's policy for a topic after sending to it: every combination that says something."""

import pytest

from tertulia import domain
from tertulia.domain.personal.topic_policies import Automatic, TopicPolicy

NONE, MUTED, UNMUTED, FOLLOWED = TopicPolicy
PARTICIPATION, SEND, INITIATION, NEVER = Automatic


@pytest.mark.parametrize(
    "current, follow, unmute, channel_muted, starts, after",
    [
        # Followed stays followed.
        (FOLLOWED, NEVER, SEND, True, True, FOLLOWED),
        # To follow by sending wins over everything, a mute included.
        (NONE, PARTICIPATION, NEVER, False, False, FOLLOWED),
        (NONE, SEND, NEVER, False, False, FOLLOWED),
        (MUTED, SEND, NEVER, False, False, FOLLOWED),
        (UNMUTED, PARTICIPATION, NEVER, True, False, FOLLOWED),
        # To follow what one starts: only with nothing said before, and only if it is new.
        (NONE, INITIATION, NEVER, False, True, FOLLOWED),
        (NONE, INITIATION, NEVER, False, False, NONE),
        (MUTED, INITIATION, NEVER, False, True, MUTED),
        (NONE, INITIATION, SEND, True, True, FOLLOWED),
        # To unmute matters in a muted channel.
        (NONE, NEVER, SEND, True, False, UNMUTED),
        (NONE, NEVER, SEND, False, False, NONE),
        (MUTED, NEVER, SEND, True, False, UNMUTED),
        (MUTED, NEVER, PARTICIPATION, True, False, UNMUTED),
        (MUTED, NEVER, SEND, False, False, MUTED),
        (NONE, NEVER, INITIATION, True, True, UNMUTED),
        (NONE, NEVER, INITIATION, True, False, NONE),
        (MUTED, NEVER, INITIATION, True, True, MUTED),
        (UNMUTED, NEVER, SEND, True, False, UNMUTED),
        (NONE, INITIATION, SEND, True, False, UNMUTED),
        # Never is never.
        (NONE, NEVER, NEVER, True, True, NONE),
        (MUTED, NEVER, NEVER, True, True, MUTED),
    ],
)
def test_the_topic_policy_after_sending(current, follow, unmute, channel_muted, starts, after):
    found = domain.personal.topic_policies.after_sending(
        current, follow, unmute, channel_muted=channel_muted, starts_topic=starts
    )

    assert found == after
