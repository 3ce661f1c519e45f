"""Redirects from `/login` to `/login/`, and the other way round.

Starlette builds the address of such a redirect from the Host header, which the caller chooses. Here
it is built from `external_url`; without one it is a path.
"""

from starlette.applications import Starlette
from starlette.responses import RedirectResponse
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from tertulia import api
from tertulia.api.call import Services
from tertulia.http.request import ApiRequest


def install(pages: Starlette, services: Services) -> None:
    """Make the application redirect to a route that differs only in the trailing slash."""
    router = pages.router
    router.redirect_slashes = False
    router.default = _SlashRedirect(pages, services, router.default)


class _SlashRedirect:
    def __init__(self, pages: Starlette, services: Services, absent: ASGIApp) -> None:
        self._pages = pages
        self._services = services
        self._absent = absent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = self._absent
        if scope["type"] == "http" and self._has_other(scope):
            response = RedirectResponse(await self._location(scope, receive))
        await response(scope, receive, send)

    def _has_other(self, scope: Scope) -> bool:
        other = {**scope, "path": _toggled(scope["path"])}
        return any(route.matches(other)[0] is not Match.NONE for route in self._pages.routes)

    async def _location(self, scope: Scope, receive: Receive) -> str:
        # Two slashes at the start would name another host.
        where = "/" + _toggled(scope["path"]).lstrip("/")
        if scope["query_string"]:
            where += f"?{scope['query_string'].decode('latin-1')}"
        config = self._services.config
        if not config.external_url:
            return where
        request = ApiRequest(scope, receive)
        org = await api.call.find_organization(self._services, request.host)
        return api.call.site(config, request, org) + where


def _toggled(path: str) -> str:
    return path.rstrip("/") if path.endswith("/") else f"{path}/"
