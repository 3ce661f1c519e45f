"""Refuses requests that another site caused a browser to send (CSRF).

Browsers send cookies whichever site causes a request, and name that site in `Sec-Fetch-Site` or at
least `Origin`. A request that changes something must come from our own page or from the user
directly; without either header it is refused. A request that only reads may also be a link that the
user followed. Another organization on the same server counts as another site.
"""

from tertulia.errors.authentication import CrossSiteRequest
from tertulia.http.request import ApiRequest

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OURS = frozenset({"same-origin", "none"})


def check(request: ApiRequest, origin: str) -> None:
    """Raises CrossSiteRequest. `origin` is ours, as the browser writes it."""
    fetch_site = request.header("sec-fetch-site")
    if request.sent_method in SAFE_METHODS:
        is_link = request.header("sec-fetch-mode") == "navigate"
        if fetch_site is not None and fetch_site not in OURS and not is_link:
            raise CrossSiteRequest()
    elif fetch_site is not None:
        if fetch_site not in OURS:
            raise CrossSiteRequest()
    elif request.header("origin") != origin:
        raise CrossSiteRequest()
