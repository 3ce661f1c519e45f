"""Unsubscribing from mail without a login.

Opening the link changes nothing, because mail scanners open links. The button on the page
unsubscribes, and so does the one-click button of a mail program (RFC 8058).
"""

import hmac

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import api, features
from tertulia.api.call import Services
from tertulia.errors.http import NotFound
from tertulia.events.directory.organization import Organization
from tertulia.features.notifications.mails import LEAVE_PATH, SETTINGS
from tertulia.http.parameter_rules import parse_id
from tertulia.http.request import ApiRequest
from tertulia.web import rendering


class UnsubscribePages:
    def __init__(self, services: Services) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        path = f"{LEAVE_PATH}/{{kind}}/{{key}}"
        return [Route(path, self._page), Route(path, self._unsubscribe, methods=["POST"])]

    async def _page(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        kind = request.path_params["kind"]
        await self._person(api_request, kind, request.path_params["key"])
        return await rendering.page(api_request, "unsubscribe.html", is_done=False, kind=kind)

    async def _unsubscribe(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        kind = request.path_params["kind"]
        org, user_id = await self._person(api_request, kind, request.path_params["key"])
        db = self._services.database.of(org.realm.id)
        await db.write(features.notifications.mails.unsubscribe, kind, user_id)
        return await rendering.page(api_request, "unsubscribe.html", is_done=True, kind=kind)

    async def _person(
        self, api_request: ApiRequest, kind: str, key: str
    ) -> tuple[Organization, int]:
        org = await api.call.find_organization(self._services, api_request.host)
        user_id = parse_id(key.partition("-")[0])
        if org is None or kind not in SETTINGS or user_id is None:
            raise NotFound()
        expected = features.notifications.mails.leave_key(
            self._services.vault, kind, org.realm.id, user_id
        )
        if not hmac.compare_digest(key.encode(), expected.encode()):
            raise NotFound()
        return org, user_id
