"""Deactivating an organization."""

from typing import Annotated

from tertulia import actions
from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import AtLeast
from tertulia.wire import Doc


async def deactivate(
    call: Call,
    *,
    deletion_delay_days: Annotated[
        int, AtLeast(0), Doc("When to delete the data; this server refuses it.")
    ]
    | None = None,
) -> None:
    """Deactivate the organization; its data stays, and the operator can reactivate it."""
    if deletion_delay_days is not None:
        raise BadRequest(
            "This server keeps the data of closed organizations: send no delay.",
            problem="deletion-delay-not-allowed",
        )
    await call.db.write(actions.organization.deactivation.deactivate, call.user)
