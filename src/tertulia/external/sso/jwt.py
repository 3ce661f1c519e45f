"""Signed tokens (JWT) that identify a user, and encryption for the desktop app.

No network is used here. The libraries are large and imported only where they are needed.
"""

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, OctKey, RSAKey

from tertulia.config.login_providers import JwtIssuer
from tertulia.errors import BadRequest
from tertulia.errors.authentication import BadJwt
from tertulia.external.sso.provider_types import ProviderError
from tertulia.log import log

LEEWAY_SECONDS = 10
MAX_TOKEN_LENGTH = 8000
MAX_FAULT_LENGTH = 200


def email_from(issuer: JwtIssuer, token: str) -> str:
    """The email address in a token, which must have an expiry. Raises BadJwt, or BadRequest if it
    has no address."""
    if len(token) > MAX_TOKEN_LENGTH:
        log.info("sso.token_refused", provider=issuer.key, reason=f"longer than {MAX_TOKEN_LENGTH}")
        raise BadJwt()
    try:
        decoded = jwt.decode(token, _key(issuer), algorithms=list(issuer.algorithms))
        # A token without an expiry could never be revoked.
        claims = jwt.JWTClaimsRegistry(leeway=LEEWAY_SECONDS, exp={"essential": True})
        claims.validate(decoded.claims)
    except (JoseError, ValueError, TypeError) as error:
        log.info("sso.token_refused", provider=issuer.key, reason=error_text(error))
        raise BadJwt() from error
    email = decoded.claims.get("email")
    if not isinstance(email, str) or not email:
        log.info("sso.token_refused", provider=issuer.key, reason="no email among its claims")
        raise BadRequest("No email specified in JSON web token claims")
    return email


def check_key(issuer: JwtIssuer) -> None:
    """Raises ProviderError for a key that cannot verify anything."""
    try:
        _key(issuer)
    except (JoseError, ValueError, TypeError) as error:
        raise ProviderError(f"key_text is not a key for {issuer.algorithms[0]}") from error


def error_text(error: Exception) -> str:
    """Why the library rejects a token, for the log. For exceptions of other kinds it is only their
    type, because their text may quote the token."""
    if not isinstance(error, JoseError):
        return type(error).__name__
    return "".join(filter(str.isprintable, f"{error.error}: {error.description}"))[
        :MAX_FAULT_LENGTH
    ]


def encrypt(key: bytes, nonce: bytes, text: bytes) -> bytes:
    return AESGCM(key).encrypt(nonce, text, None)


def _key(issuer: JwtIssuer) -> Key:
    kind = issuer.algorithms[0][:2]
    if kind == "HS":
        return OctKey.import_key(issuer.key_text)
    return (ECKey if kind == "ES" else RSAKey).import_key(issuer.key_text)
