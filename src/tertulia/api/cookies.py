"""Browsers: which session one has, by its cookie, and how it gets and loses it."""

import contextlib

from msgspec.structs import replace

from tertulia import actions, api, domain, storage
from tertulia.actions.people.login import SessionRequest
from tertulia.actions.people.pending_logins import AWAY_SECONDS
from tertulia.api.call import Call, Services
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
    """Where our pages come from, as a browser writes it."""
    scheme = "https" if _is_secure(config, request) else "http"
    return f"{scheme}://{request.host}"


async def session(
    services: Services, request: ApiRequest, org: Organization | None
) -> Session | None:
    """The session of the browser that asks, if its owner may use it now.

    Once in a while it is noted that it was used, and the browser told to keep its cookie.
    """
    fingerprint = _fingerprint(services, request)
    if fingerprint is None or org is None or org.realm.deactivated:
        return None
    found = org.sessions.find(fingerprint) or await _read(services, request, org, fingerprint)
    if found is None or _is_refused(services, org, found):
        return None
    if found.is_worth_noting(services.clock()):
        await _note_seen(services, request, org, fingerprint, found)
    return found


def known_user(services: Services, request: ApiRequest, org: Organization | None) -> User | None:
    """Whose browser it is, as far as that is known without asking the database."""
    fingerprint = _fingerprint(services, request)
    if fingerprint is None or org is None or org.realm.deactivated:
        return None
    found = org.sessions.find(fingerprint)
    return None if found is None or _is_refused(services, org, found) else org.users[found.user_id]


async def check_still_there(call: Call) -> None:
    """For answers that come late: raises NoSession if the session has ended meanwhile."""
    if call.session is not None and await session(call.services, call.request, call.org) is None:
        raise NoSession()


def entrance(call: Call) -> tuple[str, SessionRequest]:
    """A new token for the browser that asks, and what is to be noted of it.

    Whatever cookie it came with is not used on: somebody else may have put it there.
    """
    token = domain.people.sessions.new_token()
    fingerprint = fingerprint_of(call.services, token)
    former = _fingerprint(call.services, call.request)
    return token, replace(entrance_of_app(call), fingerprint=fingerprint, former=former)


def entrance_of_app(call: Call) -> SessionRequest:
    """What is to be noted of an app, which gets the key."""
    address = call.request.client_address
    browser = Browser(call.request.header("user-agent") or "", address)
    letters = call.vault if call.config.sends_mail else None
    return SessionRequest(browser, address_bucket(address), letters=letters)


def keep_cookie(config: Config, request: ApiRequest, token: str) -> str:
    """The value of Set-Cookie for a browser that has come in."""
    return cookies.written(token, LIFE_SECONDS, is_secure=_is_secure(config, request))


def drop_cookie(config: Config, request: ApiRequest) -> str:
    return cookies.written("", 0, is_secure=_is_secure(config, request))


def login_token(call: Call) -> tuple[str, str]:
    """By what a browser is known while it logs in elsewhere: new, or what it has already; and the
    value of Set-Cookie."""
    is_secure = _is_secure(call.config, call.request)
    token = known_login_token(call) or domain.people.sessions.new_token()
    return token, cookies.written(token, AWAY_SECONDS, is_secure=is_secure, cookie=cookies.LOGIN)


def known_login_token(call: Call) -> str | None:
    is_secure = _is_secure(call.config, call.request)
    return cookies.read(call.request, is_secure=is_secure, cookie=cookies.LOGIN)


async def log_out(call: Call) -> bytes | None:
    """End the session; gives what the provider that has vouched for it has to be told."""
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
    """Whether the browser speaks HTTPS with us, or with a proxy before us."""
    return api.call.site(config, request, None).startswith("https://") or request.scheme == "https"


def _is_refused(services: Services, org: Organization, found: Session) -> bool:
    owner = org.users.get(found.user_id)
    return owner is None or not owner.is_active or found.is_over(services.clock())


async def _read(
    services: Services, request: ApiRequest, org: Organization, fingerprint: bytes
) -> Session | None:
    """Ask the database, and remember what it says, unless sessions have ended since."""
    known, before = org.sessions, org.sessions.forgotten
    db = services.database.of(org.realm.id, request.person)
    found = await db.read(storage.people.sessions.find, fingerprint)
    if known is not org.sessions or known.forgotten != before:
        return await _read(services, request, org, fingerprint)
    if found is not None:
        known.keep(fingerprint, found)
    return found


async def _note_seen(
    services: Services,
    request: ApiRequest,
    org: Organization,
    fingerprint: bytes,
    found: Session,
) -> None:
    org.sessions.keep(fingerprint, replace(found, seen_at=services.clock()))
    token = cookies.read(request, is_secure=_is_secure(services.config, request))
    assert token is not None
    request.reply_headers["Set-Cookie"] = keep_cookie(services.config, request, token)
    with contextlib.suppress(ServiceUnavailable):  # one may go on reading meanwhile
        await services.database.of(org.realm.id).write(
            actions.people.sessions.note_seen, found.id, request.client_address
        )
