"""Signature work off the event loop: passkeys, SAML responses and new keys, in turn."""

from collections.abc import Callable
from typing import TypeVar

from tertulia.api.call import Call
from tertulia.fair_queue import FairQueue

SIGNATURES = FairQueue("signatures", slots=1, max_waiting=50)

T = TypeVar("T")


async def run(call: Call, work: Callable[[], T]) -> T:
    """Raises RateLimited."""
    return await SIGNATURES.run(call.person, work)
