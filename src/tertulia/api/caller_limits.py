"""The rate limits of callers: one for each account, one for each network of anonymous callers."""

from collections.abc import Callable

from tertulia.config import Config
from tertulia.domain.people.user import User
from tertulia.errors.http import RateLimited
from tertulia.http.ratelimit import Decision, Limiter, address_bucket
from tertulia.http.request import ApiRequest


class CallerLimits:
    def __init__(self, config: Config, clock: Callable[[], float]) -> None:
        limited = config.rate_limit is not None
        self._users = Limiter(config.rate_limit, clock) if config.rate_limit else None
        anonymous = config.rate_limit_anonymous if limited else None
        self._strangers = Limiter(anonymous, clock) if anonymous else None

    def count(self, request: ApiRequest, caller: User | None) -> None:
        """Count a request. Raises RateLimited."""
        limiter = self._limiter(request, caller)
        if limiter is not None:
            _apply(request, limiter.check(request.counted_for))

    def peek(self, request: ApiRequest, caller: User | None) -> None:
        """The same without counting."""
        limiter = self._limiter(request, caller)
        if limiter is not None:
            _apply(request, limiter.peek(request.counted_for))

    def _limiter(self, request: ApiRequest, caller: User | None) -> Limiter | None:
        """The rate limiter of a caller; it also notes the caller for the log."""
        request.is_anonymous = caller is None
        if caller is not None:
            request.counted_for, request.person = caller.id, caller.person
            return self._users
        request.counted_for = request.person = address_bucket(request.client_address)
        return self._strangers


def _apply(request: ApiRequest, decision: Decision) -> None:
    request.reply_headers.update(decision.headers())
    if not decision.is_allowed:
        raise RateLimited(retry_after=decision.retry_after)
