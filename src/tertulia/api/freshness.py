"""Read-your-writes across servers.

Servers notify each other after a commit, so a client can list at one server before that server
knows what another one answered a moment ago. A read therefore checks the end of the log first;
concurrent reads share one check. A server without peers skips it.
"""

import asyncio
import contextlib

from tertulia.api.call import Services
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.directory.follower import Follower
from tertulia.http.routing import Route

MAX_WAIT_SECONDS = 1.0  # then the read uses what is known, seconds old at most


async def ensure(services: Services, route: Route) -> None:
    """Apply what peers have committed before a read is answered."""
    if route.method == "GET" and not route.long_poll:
        await catch_up(services)


async def catch_up(services: Services) -> None:
    """Apply what peers have committed."""
    if services.database.may_have_peers:
        read = asyncio.create_task(_refresh(services.delivery.follower))
        await asyncio.wait([read], timeout=MAX_WAIT_SECONDS)


async def _refresh(follower: Follower) -> None:
    with contextlib.suppress(ServiceUnavailable):
        await follower.refresh()
