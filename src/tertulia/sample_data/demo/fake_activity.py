"""Fake typing in the demo while it runs: from time to time a user starts typing and stops. No
message is sent, so unread counts do not grow."""

import random

from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.ephemeral import TypingInChannel
from tertulia.sample_data.demo.people import address

EVERY_SECONDS = 12.0
CONVERSATIONS = {
    "lucia": ("general", "Opening night"),
    "sam": ("general", "Opening night"),
    "aiko": ("programme", "Subtitles"),
    "olek": ("kitchen", "Shopping list"),
}


class FakeActivity:
    """Steps alternate: a user starts typing, then stops."""

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery
        self._writing: list[tuple[int, TypingInChannel]] = []

    async def run(self) -> None:
        for realm_id, started in self._writing:
            stop = TypingInChannel("stop", started.sender_id, started.channel_id, started.topic)
            self._delivery.ephemeral.publish(realm_id, stop)
        if self._writing:
            self._writing = []
            return
        who = random.choice(list(CONVERSATIONS))  # noqa: S311
        for org in self._delivery.organizations.values():
            user = org.accounts.with_email(address(who))
            channel = org.channel_named(CONVERSATIONS[who][0])
            if user is not None and channel is not None:
                start = TypingInChannel("start", user.id, channel.id, CONVERSATIONS[who][1])
                self._delivery.ephemeral.publish(org.realm.id, start)
                self._writing.append((org.realm.id, start))
