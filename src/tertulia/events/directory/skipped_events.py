"""Events that this server could not decode, apply or encode. Each is logged once and skipped."""

from tertulia import log
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.types.event import Unreadable

MAX_RECORDED = 10_000


class SkippedEvents:
    def __init__(self) -> None:
        self._known: set[tuple[int, int]] = set()

    def add(self, logged: LoggedEvent, problem: BaseException | None = None) -> None:
        key = (logged.realm_id, logged.seq)
        if key in self._known:
            return
        if len(self._known) >= MAX_RECORDED:
            self._known.clear()
        self._known.add(key)
        event = logged.event
        if isinstance(event, Unreadable):
            kind, reason = event.word, event.problem
        else:
            kind, reason = event.kind, type(problem).__name__
        log.log.error(
            "events.skipped",
            realm_id=logged.realm_id,
            seq=logged.seq,
            kind=kind,
            reason=reason,
            exc_info=problem,
        )
