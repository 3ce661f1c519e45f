"""Authentication: which account and organization a request belongs to, and its rate limit.

Programs send an API key (`authenticate`), browsers a cookie (`authenticate_browser`). Neither is
accepted in place of the other.
"""

import hmac
from collections.abc import Callable
from functools import partial

from tertulia import actions, domain, storage
from tertulia.api import audit, browser_sessions
from tertulia.api.call import (
    Call,
    Services,
    cached_organization,
    find_organization,
    has_public_access,
)
from tertulia.api.caller_limits import CallerLimits
from tertulia.caches.all_caches import VerifiedLogin
from tertulia.database.org_database import start_unanswered
from tertulia.domain.people.agents import ACCESS_MARK, Agent
from tertulia.domain.people.user import BotType, User
from tertulia.errors import ClientError
from tertulia.errors.authentication import (
    AccountDeactivated,
    BotRequired,
    InvalidKey,
    NoSession,
    NotLoggedIn,
    OrganizationDeactivated,
    WebhookBotRefused,
    WrongOrganization,
)
from tertulia.errors.people import GrantEnded
from tertulia.events.directory.organization import Organization
from tertulia.http import cross_site
from tertulia.http.authorization_header import read_credentials, read_key
from tertulia.http.request import ANONYMOUS_BODY_BYTES, EARLY_BODY_BYTES, ApiRequest
from tertulia.http.routing import Route

NOTED_USE_SECONDS = 300  # between two notes of the last use of a grant


class _UnknownKey(InvalidKey):
    """The key belongs to no account of this organization; it may be valid in another one."""

    def __init__(self, fingerprint: bytes) -> None:
        super().__init__()
        self.fingerprint = fingerprint


class Authenticator:
    """Authenticates requests. Built once, called for every request."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._limits = CallerLimits(services.config, services.clock)
        self._logins = services.caches.logins

    async def authenticate(self, request: ApiRequest, route: Route) -> Call:
        org, caller = await self._program(request, route)
        self._limits.count(request, caller)
        if await self._refresh(route):
            org, caller = await self._program(request, route)
        return _recorded(Call(self._services, request, org, caller), route)

    async def _program(
        self, request: ApiRequest, route: Route
    ) -> tuple[Organization | None, User | None]:
        org = await self._organization(request)
        if route.access == "key" and "api_key" in request.params:
            return await self._identify(request, org, self._of_key)
        if route.access in ("user", "key") or (
            route.access == "spectator" and request.header("authorization") is not None
        ):
            authenticate = partial(self._authenticate, webhook_bots=route.webhook_bots)
            return await self._identify(request, org, authenticate)
        if route.access == "spectator" and not self._is_open(org):
            raise NotLoggedIn()
        return org, None

    async def authenticate_browser(self, request: ApiRequest, route: Route) -> Call:
        """Authenticate a browser by its cookie, if the request is from one of our pages."""
        call = await self._browser_of_page(request, route)
        self._limits.count(request, call.caller)
        if await self._refresh(route):
            call = await self._browser_of_page(request, route)
        return _recorded(call, route)

    async def _browser_of_page(self, request: ApiRequest, route: Route) -> Call:
        org = await self._organization(request)
        call = await self._browser(request, org)
        if call.caller is None and not self._may_do_without_login(route, org):
            self._limits.count(request, None)
            raise NoSession()
        return call

    async def _refresh(self, route: Route) -> bool:
        """Catch up with other servers before a read. True if the caller must be identified again:
        the role or the name may have changed."""
        if route.method != "GET" or route.long_poll:
            return False
        return await self._services.delivery.follower.refresh_from_peers()

    async def anonymous_page(self, request: ApiRequest, from_anywhere: bool = False) -> Call:
        """Identify the visitor of a page; counts against the limit of anonymous callers.

        A request that another site may have caused is anonymous, even with a cookie.
        """
        org = await self._organization(request)
        if from_anywhere:
            call = Call(self._services, request, org, None)
        else:
            call = await self._browser(request, org)
        self._limits.count(request, None)
        return call

    async def open_page(self, request: ApiRequest) -> Call:
        """Identify the visitor of the chat page, which counts like any other request of theirs."""
        call = await self._browser(request, await self._organization(request))
        self._limits.count(request, call.caller)
        return call

    async def authenticate_agent(self, request: ApiRequest) -> Call:
        """Authenticate a program that speaks the Model Context Protocol: a bot by its key, as
        password or as bearer, or an agent by its access token."""
        org = await self._organization(request)
        header = request.header("authorization") or ""
        is_bearer = header[:7].lower() == "bearer "
        if is_bearer and header[7:].startswith(ACCESS_MARK):
            caller = await self._of_access_token(request, org, header[7:])
            self._limits.count(request, caller)
            return Call(self._services, request, org, caller)
        authenticate = partial(self._authenticate, webhook_bots=False)
        if is_bearer:
            authenticate = partial(self._of_bearer, header[7:])
        org, bot = await self._identify(request, org, authenticate)
        if not bot.is_bot:
            raise BotRequired()
        self._limits.count(request, bot)
        return Call(self._services, request, org, bot)

    async def _of_access_token(
        self, request: ApiRequest, org: Organization | None, token: str
    ) -> Agent:
        """The user of a grant. It is read for each request, so that a revoked one ends at once."""
        if org is None:
            raise WrongOrganization()
        database = self._services.database.of(org.realm.id)
        grant = await database.read(actions.people.agents.of_token, token)
        user = None if grant is None else org.users.get(grant.user_id)
        if grant is None or user is None:
            self._limits.count(request, None)
            raise GrantEnded()
        _check_active(user, org)
        if grant.used_at is None or self._services.clock() - grant.used_at > NOTED_USE_SECONDS:
            start_unanswered(database.write(storage.people.agents.touch_grant, grant.id))
        return domain.people.agents.acting_for(user, grant)

    async def _browser(self, request: ApiRequest, org: Organization | None) -> Call:
        cross_site.check(request, browser_sessions.origin(self._services.config, request))
        session = await browser_sessions.session(self._services, request, org)
        caller = None if session is None or org is None else org.users[session.user_id]
        return Call(self._services, request, org, caller, session)

    async def _organization(self, request: ApiRequest) -> Organization | None:
        """The organization of the request, if this server is up to date enough to answer for it."""
        follower = self._services.delivery.follower
        if follower.is_stale:
            await follower.refresh()
        return await find_organization(self._services, request.host)

    async def _identify(
        self,
        request: ApiRequest,
        org: Organization | None,
        authenticate: Callable[[ApiRequest, Organization | None], User],
    ) -> tuple[Organization | None, User]:
        """The caller. Before refusing, catch up with other servers: one may have created the
        account a moment ago. A caller that tries keys counts as anonymous."""
        try:
            return org, authenticate(request, org)
        except (InvalidKey, WrongOrganization, AccountDeactivated):
            self._limits.count(request, None)
            await self._services.delivery.follower.refresh()
            org = await find_organization(self._services, request.host)
        try:
            return org, authenticate(request, org)
        except _UnknownKey as unknown:
            is_known = storage.people.users.is_key_known
            if await self._services.database.of(0).query(is_known, unknown.fingerprint):
                raise WrongOrganization() from None
            raise InvalidKey() from None

    def precheck(self, request: ApiRequest) -> int:
        """The number of body bytes to read before the endpoint is known; raises RateLimited."""
        org = cached_organization(self._services, request.host)
        try:
            caller: User | None = self._authenticate(request, org, webhook_bots=True)
        except ClientError:
            caller = None
        return self._precheck(request, caller)

    def precheck_browser(self, request: ApiRequest) -> int:
        """The same for a browser; one without a cached session is anonymous until it is
        authenticated."""
        org = cached_organization(self._services, request.host)
        return self._precheck(request, browser_sessions.cached_user(self._services, request, org))

    def precheck_anonymous(self, request: ApiRequest) -> int:
        """The same for the pages before login, where every caller is anonymous."""
        return self._precheck(request, None)

    def _precheck(self, request: ApiRequest, caller: User | None) -> int:
        self._limits.peek(request, caller)
        return ANONYMOUS_BODY_BYTES if caller is None else EARLY_BODY_BYTES

    async def authenticate_media(self, request: ApiRequest) -> Call:
        """Authenticate a request for a file, which counts against no limit. Both keys and cookies
        are accepted, because the request changes nothing."""
        org = await self._organization(request)
        if request.header("authorization") is not None:
            authenticate = partial(self._authenticate, webhook_bots=True)
            org, caller = await self._identify(request, org, authenticate)
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
        known = self._logins.find(header or "")
        if known is not None and org is not None and _is_current(known, org):
            user = known.user
        else:
            credentials = read_credentials(header)
            user, org = self._owner_of_key(credentials.key, org)
            if not _is_address_of(user, credentials.email, org.email_domain):
                raise InvalidKey()
            fingerprint = self._services.vault.fingerprint(credentials.key)
            self._logins.put(header or "", VerifiedLogin(fingerprint, user))
        _check_active(user, org)
        if user.bot_type == BotType.INCOMING_WEBHOOK and not webhook_bots:
            raise WebhookBotRefused()
        return user

    def _of_key(self, request: ApiRequest, org: Organization | None) -> User:
        """The account of the key in the URL, which alone identifies the caller."""
        user, org = self._owner_of_key(read_key(request.params.get("api_key")), org)
        _check_active(user, org)
        return user

    def _of_bearer(self, key: str, _: ApiRequest, org: Organization | None) -> User:
        user, org = self._owner_of_key(read_key(key), org)
        _check_active(user, org)
        return user

    def _owner_of_key(self, key: str, org: Organization | None) -> tuple[User, Organization]:
        fingerprint = self._services.vault.fingerprint(key)
        if org is None:
            raise WrongOrganization()
        user = self._owner(org, key, fingerprint)
        if user is None:
            raise _UnknownKey(fingerprint)
        return user, org

    def _owner(self, org: Organization, key: str, fingerprint: bytes) -> User | None:
        """The account of a key; while a secret is rotated, it may be stored under the old one."""
        user = org.accounts.with_key(fingerprint)
        if user is None:
            others = self._services.vault.other_fingerprints(key)
            user = next(filter(None, map(org.accounts.with_key, others)), None)
        return user

    def _may_do_without_login(self, route: Route, org: Organization | None) -> bool:
        return route.access == "public" or (route.access == "spectator" and self._is_open(org))

    def _is_open(self, org: Organization | None) -> bool:
        return org is not None and has_public_access(self._services.config, org)


async def refresh_before_404(services: Services) -> bool:
    """Catch up with other servers, if there are any: the caller may refer to something that
    another server has just created."""
    if services.database.is_shared:
        await services.delivery.follower.refresh()
    return services.database.is_shared


def _is_current(login: VerifiedLogin, org: Organization) -> bool:
    """Whether the directory holds the same record of the account under the same key."""
    return org.accounts.with_key(login.fingerprint) is login.user


def _check_active(user: User, org: Organization) -> None:
    if org.realm.deactivated:
        raise OrganizationDeactivated()
    if not user.is_active:
        raise AccountDeactivated()


def _recorded(call: Call, route: Route) -> Call:
    if route.is_recorded:
        call.record = partial(audit.recording, route)
    return call


def _is_address_of(user: User, email: str, email_domain: str) -> bool:
    """Whether this is the account's real or public email address."""
    given = domain.people.user.email_key(email).encode()
    known = (user.email, user.api_email(email_domain), f"user{user.id}@{email_domain}")
    return any(
        hmac.compare_digest(given, domain.people.user.email_key(each).encode()) for each in known
    )
