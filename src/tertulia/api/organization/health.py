"""The state of the server in a few lines, for owners."""

from typing import Annotated

import msgspec

from tertulia import actions, domain, storage
from tertulia.api.call import Call
from tertulia.domain.server_report import Facts, State
from tertulia.http.replies import Reply
from tertulia.wire import Doc

SHOWN_PARTS = ("backup", "disk", "version", "certificate", "leader")
OPERATOR_PAGE = "/operator/"


class HealthPart(msgspec.Struct, frozen=True):
    name: Annotated[str, Doc("The name of the part.")]
    state: Annotated[State, Doc("The state of the part.")]
    facts: Annotated[Facts, Doc("Numbers and names, by name.")]


class ServerHealth(Reply):
    parts: Annotated[list[HealthPart], Doc("The parts of the server.")]
    operator_page: Annotated[
        str | None, Doc("The path of the operator's page; null if the caller may not open it.")
    ]


async def health(call: Call) -> ServerHealth:
    """Read the age of the last backup, free disk space, version, certificate and leader."""
    status = await call.services.database.of(0).read(actions.server_status.read)
    found = {each.name: each for each in actions.server_status.parts(status, call.config)}
    return ServerHealth(
        parts=[
            HealthPart(name, found[name].state, found[name].facts)
            for name in SHOWN_PARTS
            if name in found
        ],
        operator_page=OPERATOR_PAGE if await _is_operator(call) else None,
    )


async def _is_operator(call: Call) -> bool:
    """Only in the first organization: owners of others could give any address to an account."""
    first = await call.services.database.of(0).query(storage.organization.realms.first)
    named = {domain.people.user.email_key(each) for each in call.config.operators}
    is_named = domain.people.user.email_key(call.user.email) in named
    return is_named and first is not None and first.id == call.org.realm.id
