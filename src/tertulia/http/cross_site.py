"""Requests that another site has made a browser send, and that we do not answer.

A cookie travels whoever has caused a request. Browsers tell who has: `Sec-Fetch-Site`, or at least
`Origin`. What changes something must come from a page of our own, or from the person themselves;
whoever tells neither is refused. What only looks may besides be a link that somebody followed. An
organization beside ours on the same server is another site to us.
"""

from tertulia.errors.authentication import CrossSiteRequest
from tertulia.http.request import ApiRequest

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OURS = frozenset({"same-origin", "none"})


def refuse(request: ApiRequest, origin: str) -> None:
    """Raises CrossSiteRequest. `origin` is ours, as the browser would write it."""
    told = request.header("sec-fetch-site")
    if request.sent_method in SAFE_METHODS:
        is_link = request.header("sec-fetch-mode") == "navigate"
        if told is not None and told not in OURS and not is_link:
            raise CrossSiteRequest()
    elif told is not None:
        if told not in OURS:
            raise CrossSiteRequest()
    elif request.header("origin") != origin:
        raise CrossSiteRequest()
