"""The session cookie, and the cookies of pending logins.

Over HTTPS the name prefix `__Host-` guarantees that no other host and no plain connection has set
the cookie. Scripts cannot read it, and it is not sent with requests from other sites.
"""

from tertulia.http.request import ApiRequest

SESSION = "session"
LOGIN = "login"
SECURE_PREFIX = "__Host-"
MAX_BYTES = 200


def read(request: ApiRequest, *, is_secure: bool, cookie: str = SESSION) -> str | None:
    """The value of the cookie, if the browser sent one."""
    name = f"{SECURE_PREFIX}{cookie}" if is_secure else cookie
    for pair in request.headers.get("cookie", "").split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name and 0 < len(value) <= MAX_BYTES:
            return value
    return None


def set_cookie(token: str, seconds: int, *, is_secure: bool, cookie: str = SESSION) -> str:
    """The value of a Set-Cookie header; 0 seconds delete the cookie."""
    name, secure = (f"{SECURE_PREFIX}{cookie}", "; Secure") if is_secure else (cookie, "")
    return f"{name}={token}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax{secure}"
