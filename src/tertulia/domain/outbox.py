"""The outbox: what is to be sent to other machines, and when it is tried again."""

from typing import Literal

import msgspec

SECONDS_PER_DAY = 86400.0

Transport = Literal["mail", "webhook", "push", "device", "preview", "interaction"]


class OutboxItem(msgspec.Struct, frozen=True):
    """Something to be sent: a mail, a call of a webhook, a push notification, a registration of a
    phone with the push service, requests for the pages that a message links, or the call of a
    command of an outgoing webhook."""

    id: int
    realm_id: int
    transport: Transport
    kind: str  # of a mail; otherwise why it is sent
    user_id: int | None  # the bot of a webhook, or the owner of browsers and phones
    message_id: int | None
    device_id: int | None
    interaction_id: int | None
    sealed: bytes | None  # a mail
    notified: str  # the receivers that were already notified
    created_at: float
    due_at: float
    tries: int
    person: int = 0  # whose limits apply: the user, or the owner of the bot
    is_slow: bool = False  # whether the bot's last call timed out

    @property
    def subjects(self) -> tuple[int, int]:
        """The user and the message of a call or a notification."""
        assert self.user_id is not None
        assert self.message_id is not None
        return self.user_id, self.message_id

    def next_try(self, now: float) -> float | None:
        """When to try again after one more failure; None to give up."""
        policy = POLICIES[self.transport]
        is_over = now - self.created_at >= policy.give_up_after_seconds
        if is_over or self.tries + 1 >= policy.max_tries:
            return None
        return now + policy.pause(self.tries + 1)


class RetryPolicy(msgspec.Struct, frozen=True):
    first_pause_seconds: float
    max_pause_seconds: float
    factor: int = 2
    max_tries: float = float("inf")
    give_up_after_seconds: float = SECONDS_PER_DAY
    lease_seconds: float = 60.0  # how long only the server that claimed an item may send it

    def pause(self, failures: int) -> float:
        """The backoff after so many failures in a row."""
        seconds: float = self.first_pause_seconds * self.factor ** min(max(failures - 1, 0), 20)
        return min(seconds, self.max_pause_seconds)


POLICIES: dict[Transport, RetryPolicy] = {
    "mail": RetryPolicy(60.0, 7200.0, lease_seconds=300.0),
    "webhook": RetryPolicy(5.0, 30.0, factor=6, max_tries=3, give_up_after_seconds=float("inf")),
    "push": RetryPolicy(60.0, 3600.0),
    "device": RetryPolicy(5.0, 3600.0),
    "preview": RetryPolicy(60.0, 60.0, max_tries=2),
    "interaction": RetryPolicy(2.0, 30.0, factor=4, max_tries=4),
}
