"""Which calls are noted in the audit log, and how.

An act is noted in the transaction that does it; one that was refused, in a transaction of its own.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog

from tertulia import actions, api, domain
from tertulia.api.call import Call
from tertulia.domain.organization.audit import LOGIN, Act
from tertulia.errors import ClientError
from tertulia.errors.http import RateLimited, ServiceUnavailable
from tertulia.http.request import ApiRequest
from tertulia.http.routing import Route
from tertulia.storage.database import Bound
from tertulia.storage.database.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger()

# Beside everything that only administrators may do: what others may do by a permission that they
# were given, and what ends or opens a way in.
ALSO_RECORDED = {
    "DELETE /bots/{bot_id}",
    "DELETE /invites/multiuse/{invite_id}",
    "DELETE /invites/{invite_id}",
    "DELETE /messages/{message_id}",
    "DELETE /realm/emoji/{emoji_name}",
    "DELETE /streams/{stream_id}",
    "DELETE /users/me",
    "DELETE /users/me/sessions",
    "DELETE /users/me/sessions/{session_id}",
    "PATCH /bots/{bot_id}",
    "PATCH /streams/{stream_id}",
    "PATCH /user_groups/{group_id}",
    "POST /bots",
    "POST /bots/{bot_id}/api_key/regenerate",
    "POST /channels/create",
    "POST /invites",
    "POST /invites/multiuse",
    "POST /invites/{invite_id}/resend",
    "POST /realm/emoji/{emoji_name}",
    "POST /user_groups/create",
    "POST /user_groups/{group_id}/deactivate",
    "POST /user_groups/{group_id}/members",
    "POST /user_groups/{group_id}/subgroups",
    "POST /users/me/api_key/regenerate",
    "POST /users/{user_id}/reactivate",
}


def marked(routes: Iterable[Route]) -> list[Route]:
    """The routes, with a mark on those that are recorded."""
    return [replace(each, is_recorded=True) if _is_recorded(each) else each for each in routes]


def _is_recorded(route: Route) -> bool:
    needed = (
        api.requirements.administrator,
        api.requirements.manager_of_accounts,
        api.requirements.owner,
    )
    return route.method != "GET" and (
        route.requires in needed or f"{route.method} {route.path}" in ALSO_RECORDED
    )


class RecordingBound(Bound):
    """The database of one organization, for one act: the first thing written is noted."""

    __slots__ = ("_act", "_is_noted")

    def __init__(self, plain: Bound, act: Act) -> None:
        super().__init__(plain._database, plain.realm_id)
        self._act = act
        self._is_noted = False

    async def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        if self._is_noted:
            return await super().write(action, *args, **kwargs)

        def act(tx: Tx) -> T:
            return action(tx, *args, **kwargs)

        result = await super().write(actions.organization.audit.recorded, self._act, act)
        self._is_noted = True
        return result


def recording(route: Route, call: Call, plain: Bound) -> Bound:
    return RecordingBound(plain, act_of(call, route))


def act_of(call: Call, route: Route) -> Act:
    actor = None if call.caller is None else call.caller.id
    request = call.request
    details = domain.organization.audit.told(request.params)
    return Act(f"{request.method} {route.shown(request.path)}", actor, _address(request), details)


async def refused(call: Any, route: Route, error: ClientError) -> None:
    """Note that somebody was not let to do what is recorded."""
    if route.is_recorded and isinstance(call, Call) and call.caller is not None:
        await _note(call, act_of(call, route), error.code)


@contextlib.asynccontextmanager
async def login(call: Call, username: str) -> AsyncIterator[None]:
    """Around an attempt to log in: one that fails is noted, and has a line in the log."""
    try:
        yield
    except ClientError as error:
        found = None if call.found_org is None else call.found_org.user_with_email(username)
        user_id = None if found is None else found.id
        log.warning("login failed", address=_address(call.request), user=user_id, code=error.code)
        if call.found_org is not None and not isinstance(error, RateLimited):
            await _note(call, Act(LOGIN, user_id, _address(call.request)), error.code)
        raise


async def _note(call: Call, act: Act, result: str) -> None:
    with contextlib.suppress(ServiceUnavailable):  # what was refused was refused all the same
        await call.services.database.of(call.org.realm.id).write(
            actions.organization.audit.note, act, result
        )


def _address(request: ApiRequest) -> str:
    return request.client_address
