"""Which calls the audit log records, and how.

A successful call is recorded in its own transaction, a refused one in a separate transaction.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec.structs import replace

from tertulia import actions, domain
from tertulia.api import guards
from tertulia.api.call import Call
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import LOGIN, Act
from tertulia.errors import ClientError
from tertulia.errors.http import RateLimited, ServiceUnavailable
from tertulia.http.routing import Route
from tertulia.log import log

P = ParamSpec("P")
T = TypeVar("T")


# Recorded besides all calls for administrators: calls allowed by a permission, and changes of
# credentials. Moving messages of others is recorded by its action.
ALSO_RECORDED = {
    "DELETE /bots/{bot_id}",
    "DELETE /commands/{command_id}",
    "DELETE /invites/multiuse/{invite_id}",
    "DELETE /invites/{invite_id}",
    "DELETE /messages/{message_id}",
    "DELETE /messages/{message_id}/link_previews",
    "DELETE /realm/emoji/{emoji_name}",
    "DELETE /streams/{stream_id}",
    "DELETE /users/me",
    "DELETE /users/me/agents/{agent_id}",
    "DELETE /users/me/second_factor",
    "DELETE /users/me/second_factor/passkeys/{passkey_id}",
    "DELETE /users/me/sessions",
    "DELETE /users/me/sessions/{session_id}",
    "GET /bots/{bot_id}/api_key",
    "GET /streams/{stream_id}/email_address",
    "PATCH /bots/{bot_id}",
    "PATCH /commands/{command_id}",
    "PATCH /streams/{stream_id}",
    "PATCH /streams/{stream_id}/topic_summaries",
    "PATCH /user_groups/{group_id}",
    "POST /bots",
    "POST /bots/{bot_id}/api_key/regenerate",
    "POST /channels/create",
    "POST /commands",
    "POST /commands/{command_id}/calls",
    "POST /invites",
    "POST /invites/multiuse",
    "POST /invites/{invite_id}/resend",
    "POST /realm/emoji/{emoji_name}",
    "POST /streams/{stream_id}/email_address/regenerate",
    "POST /streams/{stream_id}/topic_summaries",
    "POST /user_groups/create",
    "POST /user_groups/{group_id}/deactivate",
    "POST /user_groups/{group_id}/members",
    "POST /user_groups/{group_id}/subgroups",
    "POST /users/me/api_key/regenerate",
    "POST /users/me/second_factor/app",
    "POST /users/me/second_factor/passkeys",
    "POST /users/me/second_factor/recovery_codes",
    "POST /users/{user_id}/export",
    "POST /users/{user_id}/reactivate",
}

# Recorded only when one of these parameters is given: the other changes are personal.
CREDENTIAL_SETTINGS = frozenset({"email", "new_password"})
RECORDED_WITH = {
    "DELETE /users/me/subscriptions": frozenset({"principals"}),
    "PATCH /settings": CREDENTIAL_SETTINGS,
    "PATCH /settings/display": CREDENTIAL_SETTINGS,
    "PATCH /settings/notifications": CREDENTIAL_SETTINGS,
    "POST /users/me/subscriptions": frozenset({"principals"}),
}


def marked(routes: Iterable[Route]) -> list[Route]:
    """Mark the routes that are recorded."""
    return [
        replace(
            each,
            is_recorded=_is_recorded(each),
            recorded_with=RECORDED_WITH.get(f"{each.method} {each.path}", frozenset()),
        )
        for each in routes
    ]


def _is_recorded(route: Route) -> bool:
    needed = (
        guards.administrator,
        guards.manager_of_accounts,
        guards.owner,
    )
    if f"{route.method} {route.path}" in ALSO_RECORDED | {*RECORDED_WITH}:
        return True
    return route.method != "GET" and route.requires in needed


class RecordingBound(OrgDatabase):
    """The database of one organization for one call; its first write is recorded."""

    __slots__ = ("_act", "_is_noted", "_plain")

    def __init__(self, plain: OrgDatabase, act: Act) -> None:
        super().__init__(plain._runner, plain.realm_id, plain.person)
        self._plain = plain
        self._act = act
        self._is_noted = False

    async def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._is_noted:
            return await self._plain.write(action, *args, **kwargs)

        def act(tx: Tx) -> T:
            return action(tx, *args, **kwargs)

        result = await self._plain.write(actions.organization.audit.run_recorded, self._act, act)
        self._is_noted = True
        return result


def recording(route: Route, call: Call, plain: OrgDatabase) -> OrgDatabase:
    return (
        RecordingBound(plain, audit_entry(call, route))
        if route.records(call.request.params)
        else plain
    )


def record_as(call: Call, act: str, actor_id: int) -> None:
    """Record the first write of a page under the name of the API's call."""
    record_action(call, Act(act, actor_id, call.request.client_address))


def record_action(call: Call, act: Act) -> None:
    """Record the first write of a call as this act."""
    call.record = lambda _, plain: RecordingBound(plain, act)


def audit_entry(call: Call, route: Route) -> Act:
    actor = None if call.caller is None else call.caller.id
    request = call.request
    known = route.contract.names  # an unknown name may be a text that a user wrote
    given = {name: str(value) for name, value in request.params.items() if name in known}
    texts = {
        name
        for each in route.contract.parameters
        if each.is_text
        for name in (each.name, *each.aliases)
    }
    details = domain.organization.audit.redacted(given, texts)
    return Act(
        f"{request.method} {route.shown(request.path)}", actor, request.client_address, details
    )


async def record_refusal(call: Any, route: Route, error: ClientError) -> None:
    """Record that a caller was refused."""
    if not isinstance(call, Call) or call.caller is None:
        return
    if route.records(call.request.params):
        await _record(call, audit_entry(call, route), error.code)


@contextlib.asynccontextmanager
async def login(call: Call, username: str) -> AsyncIterator[None]:
    """Wrap a login attempt: a failed one is recorded and logged."""
    try:
        yield
    except ClientError as error:
        found = None if call.found_org is None else call.found_org.accounts.with_email(username)
        user_id = None if found is None else found.id
        log.warning(
            "auth.login_failed",
            address=call.request.client_address,
            user_id=user_id,
            code=error.code,
        )
        if call.found_org is not None and not isinstance(error, RateLimited):
            await _record(call, Act(LOGIN, user_id, call.request.client_address), error.code)
        raise


async def _record(call: Call, act: Act, result: str) -> None:
    with contextlib.suppress(ServiceUnavailable, RateLimited):  # the refusal itself stands
        await call.system_db.write(actions.organization.audit.record, act, result)
