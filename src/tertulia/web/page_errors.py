"""Errors of the browser client: pages report how often and where in their code, never a text.

The counts go into the log, and from there to the operator's page.
"""

import re

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from tertulia.api.call import Call
from tertulia.log import log
from tertulia.web.account_pages import AccountPages

PATH = "/page-errors"
MAX_PLACES = 20  # of one report
_PLACE = re.compile(r"[\w./-]{1,80}\.js:\d{1,6}:\d{1,7}|unknown", re.ASCII)


def route(entrance: AccountPages) -> Route:
    return entrance.route(PATH, None, _report)


async def _report(call: Call) -> Response:
    """Only accounts report: others could fill the log."""
    try:
        places = msgspec.json.decode(call.request.params.get("places") or "{}", type=dict[str, int])
    except msgspec.DecodeError:
        return Response(status_code=400)
    if call.caller is not None:
        for place, times in list(places.items())[:MAX_PLACES]:
            if _PLACE.fullmatch(place) and times > 0:
                log.warning("web.page_error", place=place, times=times)
    return Response(status_code=204)
