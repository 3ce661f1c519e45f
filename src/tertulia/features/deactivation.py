"""Deactivation of organizations, after which no one can log in; reactivation, and deletion."""

from typing import Annotated

from tertulia import actions, events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import OwnerRequired
from tertulia.events.audience import Everyone, NoClients
from tertulia.events.types.organization.settings import RealmDeactivated, RealmReactivated
from tertulia.http.parameter_rules import AtLeast
from tertulia.wire import Doc


def close(tx: Tx, user: User | None) -> None:
    """Deactivate the organization; without a user, as the server's operator."""
    if user is not None and not actions.groups.permissions.current_rights(tx, user).is_owner:
        raise OwnerRequired()
    if storage.organization.realms.current(tx).deactivated:
        raise BadRequest(
            "The organization is closed already.", problem="organization-closed-already"
        )
    storage.organization.realms.set_deactivated(tx, True)
    events.log.announce(tx, RealmDeactivated(), to=Everyone())


def check_closed(tx: Tx) -> None:
    if not storage.organization.realms.current(tx).deactivated:
        raise BadRequest("Only a closed organization can be deleted: deactivate it first.")
    if storage.organization.legal_holds.active(tx):
        raise BadRequest(
            "There are legal holds in this organization. End them first.",
            problem="organization-on-legal-hold",
        )


def delete_batch(tx: Tx) -> bool:
    """Delete a part of a deactivated organization's data. Returns whether there is more."""
    check_closed(tx)
    return storage.erasure.delete_batch(tx)


def reactivate(tx: Tx) -> None:
    if not storage.organization.realms.current(tx).deactivated:
        raise BadRequest("The organization is not closed.")
    storage.organization.realms.set_deactivated(tx, False)
    events.log.announce(tx, RealmReactivated(), to=NoClients())


# --- endpoint ---


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
    await call.db.write(close, call.user)
