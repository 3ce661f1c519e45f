"""What an integration makes of a call: what happened, where it belongs, and how it is told."""

import fnmatch
from collections.abc import Sequence

import msgspec


class WebhookMessage(msgspec.Struct, frozen=True):
    """`event` is what filters go by: `push`, or `pull_request.opened` where there are kinds."""

    event: str
    topic: str
    text: str
    branch: str | None = None  # that was pushed to
    is_private: bool = False  # whether it tells of what the sender shows to few


class Filters(msgspec.Struct, frozen=True):
    """Which reports somebody wants; patterns are those of a shell."""

    only_events: Sequence[str] | None = None
    exclude_events: Sequence[str] | None = None
    branches: Sequence[str] | None = None
    ignore_private: bool = False

    def pass_on(self, report: WebhookMessage) -> bool:
        if self.only_events is not None and not _is_one_of(report.event, self.only_events):
            return False
        if self.exclude_events is not None and _is_one_of(report.event, self.exclude_events):
            return False
        if report.branch is not None and self.branches is not None:
            return any(fnmatch.fnmatchcase(report.branch, each) for each in self.branches)
        return not (self.ignore_private and report.is_private)


def _is_one_of(event: str, patterns: Sequence[str]) -> bool:
    """`pull_request` stands for all kinds of it."""
    names = (event, event.partition(".")[0])
    return any(fnmatch.fnmatchcase(name, each) for name in names for each in patterns)
