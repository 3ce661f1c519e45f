"""Admission: who is let in, to which organization, and whether they have asked too often.

Programs come with a key (`admit`), browsers with a cookie (`admit_browser`), and neither is heeded
at the other's door.
"""

import hmac
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tertulia import api, domain, storage
from tertulia.api.call import Call, Services
from tertulia.domain.people.user import BotType, User
from tertulia.errors import ClientError
from tertulia.errors.authentication import (
    AccountDeactivated,
    InvalidKey,
    NoSession,
    NotLoggedIn,
    OrganizationDeactivated,
    WebhookBotRefused,
    WrongOrganization,
)
from tertulia.errors.http import RateLimited
from tertulia.events.directory.organization import Organization
from tertulia.http import cross_site
from tertulia.http.basic import read_credentials, read_key
from tertulia.http.ratelimit import Decision, Limiter, address_bucket
from tertulia.http.request import EARLY_BODY_BYTES, STRANGERS_BODY_BYTES, ApiRequest
from tertulia.http.routing import Route

MAX_CACHED_LOGINS = 10_000
MAX_CACHED_HEADER_BYTES = 300  # most have 100


class CachedLogin(NamedTuple):
    """Somebody who came with a good key. All that was asked then is so while the directory holds
    the same record of them under the same key."""

    fingerprint: bytes
    user: User

    def is_still_in(self, org: Organization) -> bool:
        return org.accounts.with_key(self.fingerprint) is self.user


class _UnknownHere(InvalidKey):
    """A key of nobody in the organization that is asked; perhaps it is good in another one."""

    def __init__(self, fingerprint: bytes) -> None:
        super().__init__()
        self.fingerprint = fingerprint


class Authenticator:
    """Lets requests in. Built once; called for every request."""

    def __init__(self, services: Services) -> None:
        config, clock = services.config, services.clock
        limited = config.rate_limit is not None
        self._services = services
        self._users = Limiter(config.rate_limit, clock) if config.rate_limit else None
        anonymous = config.rate_limit_anonymous if limited else None
        self._strangers = Limiter(anonymous, clock) if anonymous else None
        self._recognized: dict[str, CachedLogin] = {}  # by what they said in their header
        self._cached_headers: dict[bytes, str] = {}  # one for each key, by its fingerprint

    async def admit(self, request: ApiRequest, route: Route) -> Call:
        org, caller = await self._organization(request), None
        if route.access == "key" and "api_key" in request.params:
            org, caller = await self._identify(request, org, self._of_key)
        elif route.access in ("user", "key") or (
            route.access == "spectator" and request.header("authorization") is not None
        ):
            asked = partial(self._authenticate, webhook_bots=route.webhook_bots)
            org, caller = await self._identify(request, org, asked)
        elif route.access == "spectator" and not self._is_open(org):
            raise NotLoggedIn()
        self._limit(request, caller)
        await api.freshness.ensure(self._services, route)
        return _recorded(Call(self._services, request, org, caller), route)

    async def admit_browser(self, request: ApiRequest, route: Route) -> Call:
        """Let in who comes with a cookie of ours, from a page of ours."""
        org = await self._organization(request)
        call = await self._browser(request, org)
        self._limit(request, call.caller)
        if call.caller is None and not self._may_do_without_login(route, org):
            raise NoSession()
        await api.freshness.ensure(self._services, route)
        return _recorded(call, route)

    async def visit(self, request: ApiRequest, from_anywhere: bool = False) -> Call:
        """Somebody who opens a page, logged in or not; it counts against the limit of strangers.

        Whom another site may have sent is a stranger, whatever cookie the browser sends along.
        """
        org = await self._organization(request)
        if from_anywhere:
            call = Call(self._services, request, org, None)
        else:
            call = await self._browser(request, org)
        self._limit(request, None)
        return call

    async def open_page(self, request: ApiRequest) -> Call:
        """Somebody who opens the page to chat in, which counts like any other request of theirs."""
        call = await self._browser(request, await self._organization(request))
        self._limit(request, call.caller)
        return call

    async def _browser(self, request: ApiRequest, org: Organization | None) -> Call:
        cross_site.refuse(request, api.cookies.origin(self._services.config, request))
        session = await api.cookies.session(self._services, request, org)
        caller = None if session is None or org is None else org.users[session.user_id]
        return Call(self._services, request, org, caller, session)

    async def _organization(self, request: ApiRequest) -> Organization | None:
        """The organization that is asked, as far as we know it well enough to answer for it."""
        follower = self._services.delivery.follower
        if follower.is_stale:
            await follower.refresh()
        return await api.call.find_organization(self._services, request.host)

    async def _identify(
        self,
        request: ApiRequest,
        org: Organization | None,
        ask: Callable[[ApiRequest, Organization | None], User],
    ) -> tuple[Organization | None, User]:
        """Who asks. Before somebody is turned away we look once more: another server may have let
        them in a moment ago. Whoever tries keys counts as a stranger."""
        try:
            return org, ask(request, org)
        except (InvalidKey, WrongOrganization, AccountDeactivated):
            self._limit(request, None)
            await self._services.delivery.follower.refresh()
            org = await api.call.find_organization(self._services, request.host)
        try:
            return org, ask(request, org)
        except _UnknownHere as unknown:
            is_known = storage.people.is_key_known
            if await self._services.database.query(0, is_known, unknown.fingerprint):
                raise WrongOrganization() from None
            raise InvalidKey() from None

    def greet(self, request: ApiRequest) -> int:
        """How much is read of a body before it is known what it asks for; raises RateLimited for
        one who has asked too often."""
        org = api.call.known_organization(self._services, request.host)
        try:
            caller: User | None = self._authenticate(request, org, webhook_bots=True)
        except ClientError:
            caller = None
        return self._greet(request, caller)

    def greet_browser(self, request: ApiRequest) -> int:
        """The same for a browser; one that we have not seen lately is a stranger until it is let
        in."""
        org = api.call.known_organization(self._services, request.host)
        return self._greet(request, api.cookies.known_user(self._services, request, org))

    def greet_stranger(self, request: ApiRequest) -> int:
        """The same for one who is at the door, where everybody counts as one."""
        return self._greet(request, None)

    def _greet(self, request: ApiRequest, caller: User | None) -> int:
        limiter = self._limiter(request, caller)
        if limiter is not None:
            _heed(request, limiter.peek(request.counted_for))
        return STRANGERS_BODY_BYTES if caller is None else EARLY_BODY_BYTES

    async def authenticate_media(self, request: ApiRequest) -> Call:
        """Let in somebody who looks at pictures, which do not count against any limit. Here keys
        and cookies are good alike: what only shows something cannot be misused."""
        org = await self._organization(request)
        if request.header("authorization") is not None:
            asked = partial(self._authenticate, webhook_bots=True)
            org, caller = await self._identify(request, org, asked)
            request.person = caller.person
            return Call(self._services, request, org, caller)
        call = await self._browser(request, org)
        if call.caller is not None:
            request.person = call.caller.person
        elif not self._is_open(org):
            raise NotLoggedIn()
        return call

    def _authenticate(
        self, request: ApiRequest, org: Organization | None, webhook_bots: bool
    ) -> User:
        header = request.header("authorization")
        known = self._recognized.get(header or "")
        if known is not None and org is not None and known.is_still_in(org):
            user = known.user
        else:
            credentials = read_credentials(header)
            user, org = self._holder(credentials.key, org)
            if not _is_address_of(user, credentials.email, org.email_domain):
                raise InvalidKey()
            self._recognize(header or "", user, credentials.key)
        _check_active(user, org)
        if user.bot_type == BotType.INCOMING_WEBHOOK and not webhook_bots:
            raise WebhookBotRefused()
        return user

    def _recognize(self, header: str, user: User, key: str) -> None:
        """Cache who sends this header: one for each key, since a header can be padded at will."""
        if len(header) > MAX_CACHED_HEADER_BYTES:
            return
        fingerprint = self._services.vault.fingerprint(key)
        if fingerprint in self._cached_headers:
            self._recognized.pop(self._cached_headers[fingerprint], None)
        elif len(self._cached_headers) >= MAX_CACHED_LOGINS:
            self._recognized.clear()
            self._cached_headers.clear()
        self._cached_headers[fingerprint] = header
        self._recognized[header] = CachedLogin(fingerprint, user)

    def _of_key(self, request: ApiRequest, org: Organization | None) -> User:
        """Who holds the key in the address; it alone says who asks."""
        user, org = self._holder(read_key(request.params.get("api_key")), org)
        _check_active(user, org)
        return user

    def _holder(self, key: str, org: Organization | None) -> tuple[User, Organization]:
        fingerprint = self._services.vault.fingerprint(key)
        if org is None:
            raise WrongOrganization()
        user = self._owner(org, key, fingerprint)
        if user is None:
            raise _UnknownHere(fingerprint)
        return user, org

    def _owner(self, org: Organization, key: str, fingerprint: bytes) -> User | None:
        """Whose key it is; while the secret is being replaced, it may be known by another one."""
        user = org.accounts.with_key(fingerprint)
        if user is None:
            others = self._services.vault.other_fingerprints(key)
            user = next(filter(None, map(org.accounts.with_key, others)), None)
        return user

    def _may_do_without_login(self, route: Route, org: Organization | None) -> bool:
        return route.access == "public" or (route.access == "spectator" and self._is_open(org))

    def _is_open(self, org: Organization | None) -> bool:
        return org is not None and api.call.has_public_access(self._services.config, org)

    def _limit(self, request: ApiRequest, caller: User | None) -> None:
        limiter = self._limiter(request, caller)
        if limiter is not None:
            _heed(request, limiter.check(request.counted_for))

    def _limiter(self, request: ApiRequest, caller: User | None) -> Limiter | None:
        """What counts a caller's requests, and notes for whom."""
        request.is_from_stranger = caller is None
        if caller is not None:
            request.counted_for, request.person = caller.id, caller.person
            return self._users
        request.counted_for = request.person = address_bucket(request.client_address)
        return self._strangers


async def look_again(services: Services) -> bool:
    """Catch up with other servers, if there may be any: a caller may have been told there of what
    we have not heard yet."""
    if services.database.is_shared:
        await services.delivery.follower.refresh()
    return services.database.is_shared


def _check_active(user: User, org: Organization) -> None:
    if org.realm.deactivated:
        raise OrganizationDeactivated()
    if not user.is_active:
        raise AccountDeactivated()


def _recorded(call: Call, route: Route) -> Call:
    if route.is_recorded:
        call.record = partial(api.audit.recording, route)
    return call


def _heed(request: ApiRequest, decision: Decision) -> None:
    request.reply_headers.update(decision.headers())
    if not decision.is_allowed:
        raise RateLimited(retry_after=decision.retry_after)


def _is_address_of(user: User, email: str, email_domain: str) -> bool:
    """The real address, or the one that stands in for it."""
    given = domain.people.user.email_key(email).encode()
    known = (user.email, user.api_email(email_domain), f"user{user.id}@{email_domain}")
    return any(
        hmac.compare_digest(given, domain.people.user.email_key(each).encode()) for each in known
    )
