"""OpenID Connect: the code flow with PKCE and a nonce, against any provider that describes itself.

A login leaves from here with an address for the browser (`leave`), and comes back with a code that
only we can turn into who that is (`come_back`). What is checked of the answer: the signature by the
provider's own keys, for whom and by whom it was made, until when it is good, and that it answers
the very login that left.
"""

import time
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from tertulia import links
from tertulia.config.providers import OpenIdProvider
from tertulia.links.answers import PendingLogin, ProviderTrouble, SiteUser
from tertulia.links.web import Inquiry

T = TypeVar("T")

REMEMBERED_SECONDS = 3600
LEEWAY_SECONDS = 60
# What a provider signs with. A shared secret would be known to whoever knows ours.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]


class Description(msgspec.Struct, frozen=True):
    """What a provider says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str = ""
    token_endpoint_auth_methods_supported: list[str] = msgspec.field(
        default_factory=lambda: ["client_secret_basic"]
    )


async def leave(provider: OpenIdProvider, pending: PendingLogin) -> str:
    """Where to send the browser."""
    described = await describe(provider)
    return with_query(
        described.authorization_endpoint,
        response_type="code",
        client_id=provider.client_id,
        redirect_uri=pending.return_address,
        scope=" ".join(provider.scopes),
        state=pending.state,
        nonce=pending.nonce,
        code_challenge=pending.challenge,
        code_challenge_method="S256",
    )


async def come_back(provider: OpenIdProvider, pending: PendingLogin, code: str) -> SiteUser:
    """Who came back with a code. Raises ProviderTrouble."""
    described = await describe(provider)
    tokens = await _exchange(provider, described, pending, code)
    claims = await _checked(provider, described, tokens.id_token, pending.nonce)
    if described.userinfo_endpoint and tokens.access_token:
        inquiry = Inquiry(described.userinfo_endpoint, bearer=tokens.access_token)
        told = await links.web.ask(inquiry, provider.ca_file)
        if not isinstance(told, dict) or told.get("sub") != claims["sub"]:
            raise ProviderTrouble("userinfo is about somebody else")
        claims = claims | told
    return _user(provider, claims)


def is_from(provider: OpenIdProvider, issuer: str) -> bool:
    """Whether an answer is the provider's, if it says whose it is: several come back to one address
    of ours, and none shall be handed the codes of another."""
    return not issuer or issuer.rstrip("/") == provider.site


async def describe(provider: OpenIdProvider) -> Description:
    """What a provider says of itself; asked once in a while."""
    address = f"{provider.site}/.well-known/openid-configuration"
    told = _convert(await _remembered(address, provider), Description)
    if told.issuer.rstrip("/") != provider.site:
        raise ProviderTrouble(f"{address}: it is about {told.issuer}")
    return told


def with_query(address: str, **params: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(params)}"


# --- the answer ---


class Tokens(msgspec.Struct, frozen=True):
    id_token: str
    access_token: str = ""


async def _exchange(
    provider: OpenIdProvider, described: Description, pending: PendingLogin, code: str
) -> Tokens:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": pending.return_address,
        "code_verifier": pending.verifier,
    }
    login = None
    if "client_secret_basic" in described.token_endpoint_auth_methods_supported:
        login = (quote(provider.client_id, safe=""), quote(provider.client_secret, safe=""))
    else:
        form |= {"client_id": provider.client_id, "client_secret": provider.client_secret}
    inquiry = Inquiry(described.token_endpoint, form, login)
    return _convert(await links.web.ask(inquiry, provider.ca_file), Tokens)


async def _checked(
    provider: OpenIdProvider, described: Description, id_token: str, nonce: str
) -> dict[str, Any]:
    registry = jwt.JWTClaimsRegistry(
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": described.issuer},
        aud={"essential": True, "value": provider.client_id},
        sub={"essential": True},
        exp={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        token = await _decoded(provider, described, id_token)
        registry.validate(token.claims)
    except (JoseError, ValueError) as error:
        raise ProviderTrouble(f"the ID token is no good: {type(error).__name__}") from error
    claims: dict[str, Any] = token.claims
    if claims.get("azp", provider.client_id) != provider.client_id:
        raise ProviderTrouble("the ID token is for somebody else")
    if not isinstance(claims["sub"], str) or not claims["sub"]:
        raise ProviderTrouble("the ID token names nobody")
    return claims


async def _decoded(provider: OpenIdProvider, described: Description, id_token: str) -> jwt.Token:
    """Keys change: if none of those we remember fits, we ask once more."""
    try:
        keys = await _keys(provider, described)
        return jwt.decode(id_token, keys, algorithms=ALGORITHMS)
    except (JoseError, ValueError):
        _memory.pop(described.jwks_uri, None)
        keys = await _keys(provider, described)
        return jwt.decode(id_token, keys, algorithms=ALGORITHMS)


async def _keys(provider: OpenIdProvider, described: Description) -> KeySet:
    return KeySet.import_key_set(await _remembered(described.jwks_uri, provider))


def _user(provider: OpenIdProvider, claims: Mapping[str, Any]) -> SiteUser:
    email = claims.get("email")
    email = email if isinstance(email, str) else ""
    said = claims.get("email_verified")
    is_verified = said in (True, "true") or (said is None and provider.addresses_are_verified)
    return SiteUser(
        subject=claims["sub"],
        emails=(email,) if email and is_verified else (),
        claims=claims,
    )


# --- what is remembered for a while ---

_memory: dict[str, tuple[float, Any]] = {}


async def _remembered(address: str, provider: OpenIdProvider) -> Any:
    since, told = _memory.get(address, (float("-inf"), None))
    if time.monotonic() - since > REMEMBERED_SECONDS:
        told = await links.web.ask(Inquiry(address), provider.ca_file)
        _memory[address] = (time.monotonic(), told)
    return told


def _convert(told: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(told, kind)
    except msgspec.ValidationError as error:
        raise ProviderTrouble(f"the provider's answer lacks something: {error}") from error
