"""The message that an integration makes of a request, and the filters that a user may set."""

import fnmatch
from collections.abc import Sequence

import msgspec

from tertulia.errors import BadRequest


class WebhookMessage(msgspec.Struct, frozen=True):
    """`event` is the name that filters match: `push`, or with its action `pull_request.opened`."""

    event: str
    topic: str
    text: str
    branch: str | None = None  # the target of a push
    is_private: bool = False  # whether it is about something that the sender does not show publicly
    to_owner: bool = False  # contains a secret: goes to the owner of the bot, not to the channel
    more: "tuple[WebhookMessage, ...]" = ()  # about other topics, if a request is about several


class Filters(msgspec.Struct, frozen=True):
    """Which events a user wants; patterns are shell wildcards."""

    only_events: Sequence[str] | None = None
    exclude_events: Sequence[str] | None = None
    branches: Sequence[str] | None = None
    ignore_private: bool = False

    def accepts(self, message: WebhookMessage) -> bool:
        if self.only_events is not None and not _is_one_of(message.event, self.only_events):
            return False
        if self.exclude_events is not None and _is_one_of(message.event, self.exclude_events):
            return False
        if message.branch is not None and self.branches is not None:
            return any(fnmatch.fnmatchcase(message.branch, each) for each in self.branches)
        return not (self.ignore_private and message.is_private)


def _is_one_of(event: str, patterns: Sequence[str]) -> bool:
    """`pull_request` matches all of its actions."""
    names = (event, event.partition(".")[0])
    return any(fnmatch.fnmatchcase(name, each) for name in names for each in patterns)


class UnknownEvent(Exception):
    """The integration does not support this event."""


class UnexpectedPayload(Exception):
    """A field that the sender documents is missing or of another type."""


class NoSuchHeader(Exception):
    """This required header is missing."""


class WebhookRejected(BadRequest):
    """Any other reason, as a text for the sender."""
