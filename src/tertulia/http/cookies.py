"""The one cookie we set: which browser this is.

Over HTTPS its name says to the browser itself that no other host and no plain connection can have
set it (`__Host-`). It is never readable by scripts and not sent along from other sites.
"""

from tertulia.http.request import ApiRequest

SECURE_NAME = "__Host-session"
PLAIN_NAME = "session"
MOST_BYTES = 200


def read(request: ApiRequest, *, is_secure: bool) -> str | None:
    """What the cookie holds, if the browser has one from us."""
    name = SECURE_NAME if is_secure else PLAIN_NAME
    for pair in request.headers.get("cookie", "").split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name and 0 < len(value) <= MOST_BYTES:
            return value
    return None


def written(token: str, seconds: int, *, is_secure: bool) -> str:
    """The value of a Set-Cookie header; for so many seconds, 0 to take it away."""
    name, secure = (SECURE_NAME, "; Secure") if is_secure else (PLAIN_NAME, "")
    return f"{name}={token}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax{secure}"
