"""Deactivating an organization."""

from typing import Annotated

from tertulia import actions
from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import AtLeast


async def deactivate(
    call: Call, *, deletion_delay_days: Annotated[int, AtLeast(0)] | None = None
) -> None:
    """Deactivate the organization; its data stays, and the operator can reactivate it."""
    if deletion_delay_days is not None:
        raise BadRequest("This server keeps the data of closed organizations: send no delay.")
    await call.db.write(actions.organization.deactivation.deactivate, call.user)
