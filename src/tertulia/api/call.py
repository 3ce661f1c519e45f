"""A call: one authenticated request, with what an endpoint needs to answer it."""

from collections.abc import Callable

import msgspec

from tertulia import actions, domain
from tertulia.actions.messages.draft import Author
from tertulia.caches.all_caches import Caches
from tertulia.config import Config, Rate
from tertulia.database import Database, OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import Session
from tertulia.domain.people.user import User
from tertulia.errors.authentication import NotLoggedIn, UnknownSubdomain
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.external.stores.file_stores import FileStores
from tertulia.fair_queue import Person
from tertulia.http.ratelimit import Limiter
from tertulia.http.request import ApiRequest

OWNER_NOTICES = Rate(1, 60)


class Services(msgspec.Struct, frozen=True):
    """What the whole server shares."""

    config: Config
    database: Database
    delivery: Delivery
    caches: Caches
    vault: Vault
    stores: FileStores
    clock: Callable[[], float]
    started_at: int
    owner_notices: Limiter  # how often a bot's owner gets the same error


class Call(msgspec.Struct):
    services: Services
    request: ApiRequest
    found_org: Organization | None
    caller: User | None  # None for an anonymous caller
    session: Session | None = None  # of the calling browser, if it is one
    record: Callable[["Call", OrgDatabase], OrgDatabase] | None = None  # for the audit log
    _recording: OrgDatabase | None = None

    @property
    def user(self) -> User:
        if self.caller is None:
            raise NotLoggedIn()
        return self.caller

    @property
    def person(self) -> Person:
        """The person whose turn in fair queues this call uses."""
        return self.request.person

    @property
    def reader(self) -> User:
        """The account whose view is used: the caller, or a spectator."""
        return self.caller or domain.people.user.spectator(self.org.realm.id)

    @property
    def org(self) -> Organization:
        if self.found_org is None:
            raise UnknownSubdomain()
        return self.found_org

    @property
    def db(self) -> OrgDatabase:
        """The database of the organization; each write checks the caller's rights again."""
        plain = self.system_db
        if self.caller is not None:
            user = self.caller
            plain = plain.checked_by(lambda tx: check_current_rights(tx, user))
        if self.record is None:
            return plain
        if self._recording is None:
            self._recording = self.record(self, plain)
        return self._recording

    @property
    def system_db(self) -> OrgDatabase:
        """The database for writes that are not the requested act, such as counting attempts."""
        return self.services.database.of(self.org.realm.id, self.person)

    @property
    def author(self) -> Author:
        """The caller as the author of messages."""
        return Author(self.system_db, self.org, self.user, self.site)

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
        """The name of the program; what it sends has this name."""
        grant = None if self.caller is None else self.caller.grant
        if grant is not None:
            return grant.client
        return domain.people.grant.without_mark(self.request.client_name())

    @property
    def site(self) -> str:
        """The organization's address as this client reaches it."""
        return site(self.config, self.request, self.found_org)


def check_current_rights(tx: Tx, user: User) -> None:
    """Raise if the user has lost rights, or the agent its grant.

    Authentication uses what the server has in memory, and a request can wait or take long to
    arrive. The transaction that writes knows whether the caller still has the rights.
    """
    actions.groups.permissions.check_role(tx, user)
    if user.grant is not None:
        actions.people.agents.check(tx, user.grant)


async def find_organization(services: Services, host: str) -> Organization | None:
    """Find the organization by the Host header; a single organization is reached by any host."""
    known = cached_organization(services, host)
    if known is not None:
        return known
    follower = services.delivery.follower
    if follower.organizations.single is not None:
        return await follower.finder.find(follower.organizations.single)
    return await follower.finder.find_by_subdomain(subdomain(services.config.external_host, host))


def cached_organization(services: Services, host: str) -> Organization | None:
    """The same, if it is already in memory."""
    follower = services.delivery.follower
    if follower.organizations.single is not None:
        return follower.finder.cached(follower.organizations.single)
    return follower.finder.cached_by_subdomain(subdomain(services.config.external_host, host))


def has_public_access(config: Config, org: Organization) -> bool:
    """Whether anonymous callers may read web-public channels."""
    return (
        config.web_public_streams_enabled
        and bool(org.realm.setting("enable_spectator_access"))
        and any(each.is_web_public and not each.archived for each in org.channels.values())
    )


def may_open_channels(call: Call) -> bool:
    """Whether web-public channels are possible: the server and the organization both allow it."""
    return call.config.web_public_streams_enabled and bool(
        call.org.realm.setting("enable_spectator_access")
    )


def is_root(call: Call) -> bool:
    """Whether the host is the parent domain of all organizations."""
    return subdomain(call.config.external_host, call.request.host) == ""


def site(config: Config, request: ApiRequest, org: Organization | None) -> str:
    if not config.external_url:
        return f"{request.scheme}://{request.host or f'{config.local_host}:{config.port}'}"
    scheme, _, host = config.external_url.rstrip("/").partition("://")
    if org is not None and org.realm.subdomain:
        host = f"{org.realm.subdomain}.{host}"
    return f"{scheme}://{host}"


def subdomain(external_host: str, host: str) -> str:
    """The part of the host before `external_host`; without that setting, its first label."""
    name = host.rsplit(":", 1)[0].lower() if not host.endswith("]") else host
    base = external_host.lower()
    if base:
        if name == base:
            return ""
        return name.removesuffix(f".{base}") if name.endswith(f".{base}") else name
    label, dot, rest = name.partition(".")
    return label if dot and not rest.replace(".", "").isdigit() else ""


def site_of(config: Config, realm: Realm) -> str:
    """The address of an organization, for texts that are not the answer to a request."""
    base = config.external_url or f"http://{config.local_host}:{config.port}"
    scheme, _, host = base.rstrip("/").partition("://")
    return f"{scheme}://{realm.subdomain}.{host}" if realm.subdomain else f"{scheme}://{host}"
