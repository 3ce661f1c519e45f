"""Browser sessions: finding one by its cookie, starting and ending it."""

import contextlib

from msgspec.structs import replace

from tertulia import actions, domain, storage
from tertulia.actions.people.login import SessionRequest
from tertulia.actions.people.pending_logins import EXPIRY_SECONDS
from tertulia.api.call import Call, Services, site
from tertulia.config import Config
from tertulia.domain.people.sessions import LIFE_SECONDS, Browser, Session
from tertulia.domain.people.user import User
from tertulia.errors.authentication import NoSession
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.directory.organization import Organization
from tertulia.http import cookies
from tertulia.http.ratelimit import address_bucket
from tertulia.http.request import ApiRequest


def origin(config: Config, request: ApiRequest) -> str:
    """The origin of our pages, as browsers send it."""
    scheme = "https" if _is_secure(config, request) else "http"
    return f"{scheme}://{request.host}"


async def session(
    services: Services, request: ApiRequest, org: Organization | None
) -> Session | None:
    """The session of the calling browser, if its owner may use it now.

    From time to time its last use is stored and the cookie renewed.
    """
    fingerprint = _fingerprint(services, request)
    if fingerprint is None or org is None or org.realm.deactivated:
        return None
    cached = services.caches.sessions.find((org.realm.id, fingerprint))
    found = cached or await _read(services, request, org, fingerprint)
    if found is None or _is_invalid(services, org, found):
        return None
    if found.is_worth_noting(services.clock()):
        await _extend(services, request, org, fingerprint, found)
    return found


def cached_user(services: Services, request: ApiRequest, org: Organization | None) -> User | None:
    """The user of this browser, if the session is cached."""
    fingerprint = _fingerprint(services, request)
    if fingerprint is None or org is None or org.realm.deactivated:
        return None
    found = services.caches.sessions.find((org.realm.id, fingerprint))
    return None if found is None or _is_invalid(services, org, found) else org.users[found.user_id]


async def check_not_ended(call: Call) -> None:
    """Raises NoSession if the session ended while the response was prepared."""
    if call.session is not None and await session(call.services, call.request, call.org) is None:
        raise NoSession()


def new_session(call: Call) -> tuple[str, SessionRequest]:
    """A new session token for the calling browser, and what is stored about the browser.

    A token that the browser already sends is not reused: an attacker may have planted it.
    """
    token = domain.people.sessions.new_token()
    fingerprint = fingerprint_of(call.services, token)
    former = _fingerprint(call.services, call.request)
    return token, replace(app_session_request(call), fingerprint=fingerprint, former=former)


def app_session_request(call: Call) -> SessionRequest:
    """What is stored about an app that gets the API key."""
    address = call.request.client_address
    browser = Browser(call.request.header("user-agent") or "", address)
    mail_vault = call.vault if call.config.sends_mail else None
    return SessionRequest(browser, address_bucket(address), mail_vault=mail_vault)


def session_cookie(config: Config, request: ApiRequest, token: str) -> str:
    """The Set-Cookie value of a logged-in browser."""
    return cookies.set_cookie(token, LIFE_SECONDS, is_secure=_is_secure(config, request))


def drop_cookie(config: Config, request: ApiRequest) -> str:
    return cookies.set_cookie("", 0, is_secure=_is_secure(config, request))


def login_token(call: Call) -> tuple[str, str]:
    """The token that identifies a browser during a login at a provider, new or existing, and the
    Set-Cookie value."""
    is_secure = _is_secure(call.config, call.request)
    token = pending_login_token(call) or domain.people.sessions.new_token()
    return token, cookies.set_cookie(
        token, EXPIRY_SECONDS, is_secure=is_secure, cookie=cookies.LOGIN
    )


def pending_login_token(call: Call) -> str | None:
    is_secure = _is_secure(call.config, call.request)
    return cookies.read(call.request, is_secure=is_secure, cookie=cookies.LOGIN)


async def log_out(call: Call) -> bytes | None:
    """End the session; returns what the identity provider needs for its own logout."""
    fingerprint = _fingerprint(call.services, call.request)
    if fingerprint is None or call.found_org is None:
        return None
    return await call.db.write(actions.people.sessions.log_out, fingerprint)


def fingerprint_of(services: Services, token: str) -> bytes:
    return services.vault.fingerprint(f"session {token}")


def _fingerprint(services: Services, request: ApiRequest) -> bytes | None:
    token = cookies.read(request, is_secure=_is_secure(services.config, request))
    return None if token is None else fingerprint_of(services, token)


def _is_secure(config: Config, request: ApiRequest) -> bool:
    """Whether the browser uses HTTPS, to this server or to its proxy."""
    return site(config, request, None).startswith("https://") or request.scheme == "https"


def _is_invalid(services: Services, org: Organization, found: Session) -> bool:
    owner = org.users.get(found.user_id)
    return owner is None or not owner.is_active or found.has_ended(services.clock())


async def _read(
    services: Services, request: ApiRequest, org: Organization, fingerprint: bytes
) -> Session | None:
    """Read the session from the database and cache it, unless sessions have ended since."""
    sessions, before = services.caches.sessions, services.caches.sessions.forgotten
    db = services.database.of(org.realm.id, request.person)
    found = await db.read(storage.people.sessions.find, fingerprint)
    if sessions.forgotten != before:
        return await _read(services, request, org, fingerprint)
    if found is not None:
        sessions.put((org.realm.id, fingerprint), found)
    return found


async def _extend(
    services: Services,
    request: ApiRequest,
    org: Organization,
    fingerprint: bytes,
    found: Session,
) -> None:
    seen_now = replace(found, seen_at=services.clock())
    services.caches.sessions.put((org.realm.id, fingerprint), seen_now)
    token = cookies.read(request, is_secure=_is_secure(services.config, request))
    assert token is not None
    request.reply_headers["Set-Cookie"] = session_cookie(services.config, request, token)
    with contextlib.suppress(ServiceUnavailable):  # the reader may continue meanwhile
        await services.database.of(org.realm.id).write(
            actions.people.sessions.extend, found.id, request.client_address
        )
