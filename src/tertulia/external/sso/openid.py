"""OpenID Connect: the authorization code flow with PKCE and a nonce.

`authorization_url` starts a login, `finish` exchanges the code for the user's profile. Of the ID
token are checked: the signature with the provider's keys, issuer, audience, expiry and nonce.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet

from tertulia.config.login_providers import OpenIdProvider
from tertulia.external.sso import provider_http
from tertulia.external.sso.jwt import error_text
from tertulia.external.sso.provider_http import ProviderRequest
from tertulia.external.sso.provider_types import PendingLogin, ProviderError, ProviderUser

T = TypeVar("T")

CACHE_SECONDS = 3600
LEEWAY_SECONDS = 60
MAX_SUBJECT_LENGTH = 255  # as OpenID Connect demands
MAX_KEYS = 100
# What the library raises for malformed tokens and keys.
PARSE_ERRORS = (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
# Signature algorithms. HMAC is missing: a client secret that leaks must not allow forging tokens.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]


class ProviderMetadata(msgspec.Struct, frozen=True):
    """The provider's metadata, from its discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str = ""
    token_endpoint_auth_methods_supported: list[str] = msgspec.field(
        default_factory=lambda: ["client_secret_basic"]
    )


async def authorization_url(provider: OpenIdProvider, pending: PendingLogin) -> str:
    """The authorization URL."""
    async with provider_http.login_timeout():
        metadata = await discover(provider)
    return with_query(
        metadata.authorization_endpoint,
        response_type="code",
        client_id=provider.client_id,
        redirect_uri=pending.return_address,
        scope=" ".join(provider.scopes),
        state=pending.state,
        nonce=pending.nonce,
        code_challenge=pending.challenge,
        code_challenge_method="S256",
    )


async def finish(provider: OpenIdProvider, pending: PendingLogin, code: str) -> ProviderUser:
    """Exchange a code for the user's profile. Raises ProviderError."""
    async with provider_http.login_timeout():
        metadata = await discover(provider)
        tokens = await _exchange(provider, metadata, pending, code)
        claims = await _verify_id_token(provider, metadata, tokens.id_token, pending.nonce)
        userinfo = await _userinfo(provider, metadata, tokens, claims["sub"])
    # Address and `email_verified` must come from the same document.
    emails = _verified_emails(provider, userinfo if "email" in userinfo else claims)
    return ProviderUser(subject=claims["sub"], emails=emails, claims=claims | userinfo)


def is_from(provider: OpenIdProvider, issuer: str) -> bool:
    """Whether an answer is this provider's, if it names an issuer. Several providers share one
    return address, and none may receive the codes of another (mix-up attack)."""
    return not issuer or issuer.rstrip("/") == provider.site


async def discover(provider: OpenIdProvider) -> ProviderMetadata:
    """The provider's metadata, cached for a while. Raises ProviderError."""
    address = f"{provider.site}/.well-known/openid-configuration"

    def convert(document: Any) -> ProviderMetadata:
        metadata = _convert(document, ProviderMetadata, address)
        if metadata.issuer.rstrip("/") != provider.site:
            raise ProviderError(f"{address}: its issuer is {metadata.issuer}")
        _check_endpoints(metadata, address)
        return metadata

    return await _fetch_cached(provider, ProviderMetadata, address, convert)


def with_query(address: str, **params: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(params)}"


# --- the ID token ---


class Tokens(msgspec.Struct, frozen=True):
    id_token: str
    access_token: str | None = None


async def _exchange(
    provider: OpenIdProvider, metadata: ProviderMetadata, pending: PendingLogin, code: str
) -> Tokens:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": pending.return_address,
        "code_verifier": pending.verifier,
    }
    login = None
    if "client_secret_basic" in metadata.token_endpoint_auth_methods_supported:
        login = (quote(provider.client_id, safe=""), quote(provider.client_secret, safe=""))
    else:
        form |= {"client_id": provider.client_id, "client_secret": provider.client_secret}
    inquiry = ProviderRequest(metadata.token_endpoint, form, login)
    answer = await provider_http.fetch_json(inquiry, provider.ca_file)
    return _convert(answer, Tokens, metadata.token_endpoint)


async def _verify_id_token(
    provider: OpenIdProvider, metadata: ProviderMetadata, id_token: str, nonce: str
) -> dict[str, Any]:
    registry = jwt.JWTClaimsRegistry(
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": metadata.issuer},
        aud={"essential": True, "value": provider.client_id},
        sub={"essential": True},
        exp={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        token = await _decode(provider, metadata, id_token)
        registry.validate(token.claims)
    except PARSE_ERRORS as error:
        raise ProviderError(f"the ID token is not valid: {error_text(error)}") from error
    claims: dict[str, Any] = token.claims
    provider_http.check_bounds(claims, "the ID token")
    if claims.get("azp", provider.client_id) != provider.client_id:
        raise ProviderError("the ID token is not valid: azp names another client")
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT_LENGTH:
        raise ProviderError(
            f"the ID token is not valid: sub must be a text of 1 to {MAX_SUBJECT_LENGTH} characters"
        )
    return claims


async def _decode(provider: OpenIdProvider, metadata: ProviderMetadata, id_token: str) -> jwt.Token:
    """Decode the ID token. If no cached key fits, the keys are fetched again once: providers rotate
    them."""
    try:
        keys = await _keys(provider, metadata)
        return jwt.decode(id_token, keys, algorithms=ALGORITHMS)
    except PARSE_ERRORS:
        keys = await _keys(provider, metadata, refresh=True)
        return jwt.decode(id_token, keys, algorithms=ALGORITHMS)


async def _keys(
    provider: OpenIdProvider, metadata: ProviderMetadata, *, refresh: bool = False
) -> KeySet:
    def convert(document: Any) -> KeySet:
        return _key_set(document, metadata.jwks_uri)

    return await _fetch_cached(provider, KeySet, metadata.jwks_uri, convert, refresh=refresh)


async def _userinfo(
    provider: OpenIdProvider, metadata: ProviderMetadata, tokens: Tokens, subject: str
) -> dict[str, Any]:
    """The claims of the userinfo endpoint; empty if the provider has none."""
    if not metadata.userinfo_endpoint or not tokens.access_token:
        return {}
    inquiry = ProviderRequest(metadata.userinfo_endpoint, bearer=tokens.access_token)
    answer = await provider_http.fetch_json(inquiry, provider.ca_file)
    if not isinstance(answer, dict):
        raise ProviderError(f"{metadata.userinfo_endpoint}: userinfo is not a JSON object")
    if answer.get("sub") != subject:
        raise ProviderError(f"{metadata.userinfo_endpoint}: its sub differs from the ID token's")
    return answer


def _verified_emails(provider: OpenIdProvider, document: Mapping[str, Any]) -> tuple[str, ...]:
    """The address in a document, if the same document says that it is verified."""
    email, verified = document.get("email"), document.get("email_verified")
    is_verified = verified is True or (verified is None and provider.addresses_are_verified)
    return (email,) if isinstance(email, str) and email and is_verified else ()


# --- cached documents ---

# By type and address; only valid documents.
_cache: dict[tuple[type[Any], str], tuple[float, Any]] = {}


async def _fetch_cached(
    provider: OpenIdProvider,
    kind: type[T],
    address: str,
    convert: Callable[[Any], T],
    *,
    refresh: bool = False,
) -> T:
    """A document at an address, converted and cached. If `convert` rejects a new one, the cached
    one stays."""
    since, known = _cache.get((kind, address), (float("-inf"), None))
    if known is not None and not refresh and time.monotonic() - since <= CACHE_SECONDS:
        cached: T = known
        return cached
    converted = convert(await provider_http.fetch_json(ProviderRequest(address), provider.ca_file))
    _cache[kind, address] = (time.monotonic(), converted)
    return converted


def _convert(document: Any, kind: type[T], address: str) -> T:
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise ProviderError(f"{address}: the answer is malformed: {error}") from error


def _check_endpoints(metadata: ProviderMetadata, address: str) -> None:
    """Raises ProviderError for an endpoint that is not an http(s) address."""
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"):
        endpoint = getattr(metadata, name)
        if not endpoint and name == "userinfo_endpoint":
            continue
        try:
            parts = urlsplit(endpoint)
            is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_good = False
        if not is_good or parts.fragment or not endpoint.isprintable() or " " in endpoint:
            raise ProviderError(f"{address}: {name} is not an http(s) address")


def _key_set(document: Any, address: str) -> KeySet:
    """A provider's keys, without those that cannot be read (RFC 7517, 5)."""
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ProviderError(f"{address}: the answer is malformed: `keys` is not a list")
    keys = [key for key in map(_key, listed[:MAX_KEYS]) if key is not None]
    if not keys:
        raise ProviderError(f"{address}: none of its {len(listed)} keys can be used")
    return KeySet(keys)


def _key(document: Any) -> Key | None:
    try:
        key = JWKRegistry.import_key(document)
        key.ensure_kid()
    except PARSE_ERRORS:
        return None
    return None if key.key_type == "oct" else key
