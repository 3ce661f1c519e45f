"""A call: one request that was let in, with what an endpoint needs to answer it.

`Gate.admit` decides whether it is: which organization is meant, who is asking, and whether they
have asked too often.
"""

import hmac
from collections.abc import Callable
from dataclasses import dataclass

from tertulia import domain
from tertulia.actions.messages.composing import Author
from tertulia.config import Config, Rate
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import BotType, User
from tertulia.errors import ClientError
from tertulia.errors.authentication import (
    AccountDeactivated,
    InvalidKey,
    NotLoggedIn,
    OrganizationDeactivated,
    UnknownSubdomain,
    WebhookBotRefused,
    WrongOrganization,
)
from tertulia.errors.http import RateLimited
from tertulia.events.delivery import Delivery
from tertulia.events.directory import Organization
from tertulia.http.basic import read_credentials
from tertulia.http.ratelimit import Decision, Limiter, neighbourhood
from tertulia.http.request import EARLY_BODY_BYTES, STRANGERS_BODY_BYTES, ApiRequest
from tertulia.http.routing import Route
from tertulia.storage.database import Bound, Database

PASSWORD_ATTEMPTS = Rate(5, 1800)


@dataclass(frozen=True, slots=True)
class Services:
    """What the whole server shares."""

    config: Config
    database: Database
    delivery: Delivery
    vault: Vault
    clock: Callable[[], float]
    started_at: int


@dataclass(slots=True)
class Call:
    services: Services
    request: ApiRequest
    found_org: Organization | None
    caller: User | None  # None for somebody who has not logged in
    password_attempts: Limiter | None

    @property
    def user(self) -> User:
        if self.caller is None:
            raise NotLoggedIn()
        return self.caller

    @property
    def reader(self) -> User:
        """Whoever looks: the caller, or one who may see what everybody may."""
        return self.caller or domain.people.user.spectator(self.org.realm.id)

    @property
    def org(self) -> Organization:
        if self.found_org is None:
            raise UnknownSubdomain()
        return self.found_org

    @property
    def db(self) -> Bound:
        return self.services.database.of(self.org.realm.id)

    @property
    def author(self) -> Author:
        """The caller as somebody who writes."""
        return Author(self.db, self.org, self.user, self.site)

    @property
    def delivery(self) -> Delivery:
        return self.services.delivery

    @property
    def config(self) -> Config:
        return self.services.config

    @property
    def vault(self) -> Vault:
        return self.services.vault

    @property
    def now(self) -> float:
        return self.services.clock()

    @property
    def client(self) -> str:
        return self.request.client_name()

    @property
    def site(self) -> str:
        """The organization's address as this client reaches it."""
        return site(self.config, self.request, self.found_org)


class Admission:
    """Lets requests in. Built once; called for every request."""

    def __init__(self, services: Services) -> None:
        config, clock = services.config, services.clock
        limited = config.rate_limit is not None
        self._services = services
        self._users = Limiter(config.rate_limit, clock) if config.rate_limit else None
        anonymous = config.rate_limit_anonymous if limited else None
        self._strangers = Limiter(anonymous, clock) if anonymous else None
        self._passwords = Limiter(PASSWORD_ATTEMPTS, clock) if limited else None

    async def admit(self, request: ApiRequest, route: Route) -> Call:
        org, caller = await self._organization(request), None
        if route.access == "user" or (
            route.access == "spectator" and request.header("authorization") is not None
        ):
            org, caller = await self._identify(request, org, route.webhook_bots)
        elif route.access == "spectator" and not self._is_open(org):
            raise NotLoggedIn()
        self._limit(request, caller)
        return Call(self._services, request, org, caller, self._passwords)

    async def _organization(self, request: ApiRequest) -> Organization | None:
        """The organization that is asked, as far as we know it well enough to answer for it."""
        follower = self._services.delivery.follower
        if follower.is_stale:
            await follower.look_afresh()
        return find_organization(self._services, request.host)

    async def _identify(
        self, request: ApiRequest, org: Organization | None, webhook_bots: bool
    ) -> tuple[Organization | None, User]:
        """Who asks. Before somebody is turned away we look once more: another server may have let
        them in a moment ago. Whoever tries keys counts as a stranger."""
        try:
            return org, self._authenticate(request, org, webhook_bots)
        except (InvalidKey, WrongOrganization, AccountDeactivated):
            self._limit(request, None)
            await self._services.delivery.follower.look_afresh()
            org = find_organization(self._services, request.host)
            return org, self._authenticate(request, org, webhook_bots)

    def greet(self, request: ApiRequest) -> int:
        """How much is read of a body before it is known what it asks for; raises RateLimited for
        one who has asked too often."""
        org = find_organization(self._services, request.host)
        try:
            caller = self._authenticate(request, org, webhook_bots=True)
        except ClientError:
            caller = None
        limiter = self._limiter(request, caller)
        if limiter is not None:
            _heed(request, limiter.peek(request.counted_for))
        return STRANGERS_BODY_BYTES if caller is None else EARLY_BODY_BYTES

    async def let_look(self, request: ApiRequest) -> Call:
        """Let in somebody who looks at pictures, which do not count against any limit."""
        org, caller = await self._organization(request), None
        if request.header("authorization") is not None:
            org, caller = await self._identify(request, org, webhook_bots=True)
        elif not self._is_open(org):
            raise NotLoggedIn()
        return Call(self._services, request, org, caller, None)

    def _authenticate(
        self, request: ApiRequest, org: Organization | None, webhook_bots: bool
    ) -> User:
        credentials = read_credentials(request.header("authorization"))
        fingerprint = self._services.vault.fingerprint(credentials.key)
        user = None if org is None else org.user_with_key(fingerprint)
        if user is None or org is None:
            if org is None or self._belongs_elsewhere(fingerprint):
                raise WrongOrganization()
            raise InvalidKey()
        if not _is_address_of(user, credentials.email, org.email_domain):
            raise InvalidKey()
        if org.realm.deactivated:
            raise OrganizationDeactivated()
        if not user.is_active:
            raise AccountDeactivated()
        if user.bot_type == BotType.INCOMING_WEBHOOK and not webhook_bots:
            raise WebhookBotRefused()
        return user

    def _belongs_elsewhere(self, fingerprint: bytes) -> bool:
        everywhere = self._services.delivery.organizations.values()
        return any(org.user_with_key(fingerprint) is not None for org in everywhere)

    def _is_open(self, org: Organization | None) -> bool:
        return org is not None and has_public_access(self._services.config, org)

    def _limit(self, request: ApiRequest, caller: User | None) -> None:
        limiter = self._limiter(request, caller)
        if limiter is not None:
            _heed(request, limiter.check(request.counted_for))

    def _limiter(self, request: ApiRequest, caller: User | None) -> Limiter | None:
        """What counts a caller's requests, and notes for whom."""
        if caller is not None:
            request.counted_for = caller.id
            return self._users
        request.counted_for = neighbourhood(request.client_address)
        return self._strangers


def _heed(request: ApiRequest, decision: Decision) -> None:
    request.reply_headers.update(decision.headers())
    if not decision.is_allowed:
        raise RateLimited(retry_after=decision.retry_after)


def find_organization(services: Services, host: str) -> Organization | None:
    """By Host: while there is one organization, any host reaches it."""
    everywhere = services.delivery.organizations
    if len(everywhere) == 1:
        return next(iter(everywhere.values()))
    return services.delivery.organization_at(_subdomain(services.config.external_host, host))


def has_public_access(config: Config, org: Organization) -> bool:
    """Whether somebody who has not logged in may look in."""
    return (
        config.web_public_streams_enabled
        and bool(org.realm.setting("enable_spectator_access"))
        and any(each.is_web_public and not each.archived for each in org.channels.values())
    )


def may_open_channels(call: Call) -> bool:
    """Whether there can be web-public channels: the server and the organization both allow it."""
    return call.config.web_public_streams_enabled and bool(
        call.org.realm.setting("enable_spectator_access")
    )


def site(config: Config, request: ApiRequest, org: Organization | None) -> str:
    if not config.external_url:
        return f"{request.scheme}://{request.host or f'{config.host}:{config.port}'}"
    scheme, _, host = config.external_url.rstrip("/").partition("://")
    if org is not None and org.realm.subdomain:
        host = f"{org.realm.subdomain}.{host}"
    return f"{scheme}://{host}"


def _subdomain(external_host: str, host: str) -> str:
    """The part of a host before ours; without a host of our own, its first label."""
    name = host.rsplit(":", 1)[0].lower() if not host.endswith("]") else host
    base = external_host.lower()
    if base:
        if name == base:
            return ""
        return name.removesuffix(f".{base}") if name.endswith(f".{base}") else name
    label, dot, rest = name.partition(".")
    return label if dot and not rest.replace(".", "").isdigit() else ""


def _is_address_of(user: User, email: str, email_domain: str) -> bool:
    """The real address, or the one that stands in for it."""
    given = email.strip().casefold().encode()
    known = (user.email, user.api_email(email_domain), f"user{user.id}@{email_domain}")
    return any(hmac.compare_digest(given, each.casefold().encode()) for each in known)
