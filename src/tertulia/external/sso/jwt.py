"""Signed tokens (JWT) of programs that vouch for people, and sealing for the desktop app.

No machine is asked here; but the libraries are large, and loaded only where they are needed.
"""

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, OctKey, RSAKey

from tertulia.config.login_providers import JwtIssuer
from tertulia.errors import BadRequest
from tertulia.errors.authentication import BadJwt
from tertulia.external.sso.provider_types import ProviderTrouble
from tertulia.log import log

LEEWAY_SECONDS = 10
LONGEST = 8000
MAX_FAULT_LENGTH = 200


def email_in(issuer: JwtIssuer, token: str) -> str:
    """Whom a token vouches for; it must say when it ends. Raises BadJwt, or BadRequest if it names
    nobody."""
    if len(token) > LONGEST:
        log.info("sso.token_refused", provider=issuer.key, reason=f"longer than {LONGEST}")
        raise BadJwt()
    try:
        decoded = jwt.decode(token, _key(issuer), algorithms=list(issuer.algorithms))
        # A token without an end is a key that cannot be replaced.
        claims = jwt.JWTClaimsRegistry(leeway=LEEWAY_SECONDS, exp={"essential": True})
        claims.validate(decoded.claims)
    except (JoseError, ValueError, TypeError) as error:
        log.info("sso.token_refused", provider=issuer.key, reason=fault(error))
        raise BadJwt() from error
    email = decoded.claims.get("email")
    if not isinstance(email, str) or not email:
        log.info("sso.token_refused", provider=issuer.key, reason="no email among its claims")
        raise BadRequest("No email specified in JSON web token claims")
    return email


def check_key(issuer: JwtIssuer) -> None:
    """Raises ProviderTrouble for a key with which nothing can be checked."""
    try:
        _key(issuer)
    except (JoseError, ValueError, TypeError) as error:
        raise ProviderTrouble(f"key_text is no key for {issuer.algorithms[0]}") from error


def fault(error: Exception) -> str:
    """Why the library refuses a token, for the log. Of errors other than its own the type alone is
    said: their words may quote what was sent."""
    if not isinstance(error, JoseError):
        return type(error).__name__
    return "".join(filter(str.isprintable, f"{error.error}: {error.description}"))[
        :MAX_FAULT_LENGTH
    ]


def seal(key: bytes, nonce: bytes, text: bytes) -> bytes:
    return AESGCM(key).encrypt(nonce, text, None)


def _key(issuer: JwtIssuer) -> Key:
    kind = issuer.algorithms[0][:2]
    if kind == "HS":
        return OctKey.import_key(issuer.key_text)
    return (ECKey if kind == "ES" else RSAKey).import_key(issuer.key_text)
