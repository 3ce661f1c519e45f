"""The cookies we set: which session a browser has, and which logins it has begun.

Over HTTPS its name says to the browser itself that no other host and no plain connection can have
set it (`__Host-`). It is never readable by scripts and not sent along from other sites.
"""

from tertulia.http.request import ApiRequest

SESSION = "session"
LOGIN = "login"
SECURE_PREFIX = "__Host-"
MAX_BYTES = 200


def read(request: ApiRequest, *, is_secure: bool, cookie: str = SESSION) -> str | None:
    """What the cookie holds, if the browser has one from us."""
    name = f"{SECURE_PREFIX}{cookie}" if is_secure else cookie
    for pair in request.headers.get("cookie", "").split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name and 0 < len(value) <= MAX_BYTES:
            return value
    return None


def written(token: str, seconds: int, *, is_secure: bool, cookie: str = SESSION) -> str:
    """The value of a Set-Cookie header; for so many seconds, 0 to take it away."""
    name, secure = (f"{SECURE_PREFIX}{cookie}", "; Secure") if is_secure else (cookie, "")
    return f"{name}={token}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax{secure}"
