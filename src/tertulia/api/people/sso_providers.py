"""Single sign-on providers of an organization, and the accounts that they authenticate."""

import ipaddress
from collections.abc import Sequence
from typing import TypeVar

from tertulia import domain
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.api.people import sso_signup
from tertulia.config import Provider
from tertulia.config.login_providers import JwtIssuer, OpenIdProvider, RemoteUserProxy, SamlProvider
from tertulia.domain.people.identities import ExternalProfile
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import (
    LoginFailed,
    MethodDisabled,
    NoVerifiedAddress,
    RemoteUserMissing,
)
from tertulia.errors.http import NotFound
from tertulia.external.sso import claims
from tertulia.log import log

P = TypeVar("P", bound=Provider)


def find(call: Call, key: str) -> OpenIdProvider:
    """A provider of this organization. Raises NotFound, MethodDisabled."""
    provider = _open_to(call, [each for each in call.config.openid if each.key == key])
    if provider is None:
        raise NotFound()
    return provider


def find_saml(call: Call, name: str) -> SamlProvider:
    """The same for SAML, by name."""
    provider = _open_to(call, [each for each in call.config.saml if each.label == name])
    if provider is None:
        raise NotFound()
    return provider


def return_path(call: Call, provider: OpenIdProvider) -> str:
    """The redirect path of a provider in this organization."""
    here = [each for each in call.config.openid if each.is_for(call.org.realm.subdomain)]
    return provider.return_path(here)


async def authenticate(call: Call, profile: ExternalProfile, link: str = "") -> VerifiedIdentity:
    """The account of an authenticated profile; it is created where the settings allow it. `link` is
    the key of an invitation link that the browser came with."""
    try:
        for email in profile.emails:
            if not domain.people.user.looks_like_email(email):
                raise NoVerifiedAddress()
        user_id = await sso_signup.match_or_create(call, profile, link)
    except ClientError as refusal:
        log_refusal(profile, refusal)
        raise
    return VerifiedIdentity(profile.method, user_id, call.request.client_address)


def log_refusal(profile: ExternalProfile, refusal: ClientError, **about: str) -> None:
    """Log why an authenticated profile is not admitted."""
    why = [type(refusal).__name__, profile.refusal]
    if isinstance(refusal, NoVerifiedAddress):
        why.append(profile.address_source)
    log.info(
        "sso.login_refused",
        provider=profile.provider,
        subject=profile.subject,
        reason="; ".join(filter(None, why)),
        **about,
    )


async def by_header(call: Call, link: str = "") -> VerifiedIdentity:
    """The account named by the proxy's header. Raises RemoteUserMissing."""
    return await authenticate(call, named_by_header(call), link)


def named_by_header(call: Call) -> ExternalProfile:
    """The user name in the proxy's header. Raises RemoteUserMissing."""
    proxy = _open_to(call, call.config.remote_user)
    name = "" if proxy is None else (call.request.only_header(proxy.header) or "").strip()
    if proxy is None or not name or not _is_trusted(call):
        log.info("sso.header_refused", reason=_header_fault(call, proxy, name))
        raise RemoteUserMissing()
    if "@" not in name and proxy.email_domain:
        name = f"{name}@{proxy.email_domain}"
    return claims.by_address(proxy, name)


async def by_token(call: Call, token: str, link: str = "") -> VerifiedIdentity:
    """The account named by a signed token. Raises BadRequest, BadJwt."""
    issuer = jwt_issuer(call)
    from tertulia.external.sso import jwt

    profile = claims.by_address(issuer, jwt.email_from(issuer, token))
    try:
        return await authenticate(call, profile, link)
    except NoVerifiedAddress as error:
        raise LoginFailed() from error


def jwt_issuer(call: Call) -> JwtIssuer:
    issuer = _open_to(call, call.config.jwt)
    if issuer is None:
        raise BadRequest("JWT authentication is not enabled for this organization")
    return issuer


def _open_to(call: Call, providers: Sequence[P]) -> P | None:
    """The first provider for this organization. Raises MethodDisabled if it is switched off."""
    realm = call.org.realm
    for provider in providers:
        if provider.is_for(realm.subdomain):
            if not realm.admits(provider.method):
                raise MethodDisabled(method=provider.method)
            return provider
    return None


def _header_fault(call: Call, proxy: RemoteUserProxy | None, name: str) -> str:
    if proxy is None:
        return "no [[remote_user]] is for this organization"
    if not name:
        return f"{proxy.header} is missing, empty or there twice"
    return f"{call.request.peer_address} is not in trusted_proxies"


def _is_trusted(call: Call) -> bool:
    """Whether the peer of this connection is a configured proxy."""
    try:
        peer = ipaddress.ip_address(call.request.peer_address)
    except ValueError:
        return False
    return any(peer in network for network in call.config.trusted_proxies)
