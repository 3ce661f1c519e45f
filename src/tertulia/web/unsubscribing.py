"""Unsubscribing from mail: one click, without logging in.

Opening the link changes nothing, since programs that look through mail open links, too; the button
on the page does, and so does the one click of a mail program (RFC 8058).
"""

import hmac

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api
from tertulia.actions.personal.missed import UNSUBSCRIBE
from tertulia.api.call import Services
from tertulia.errors.http import NotFound
from tertulia.events.directory import Organization
from tertulia.http.request import ApiRequest
from tertulia.web import rendering


class Unsubscribing:
    def __init__(self, services: Services) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        path = f"{UNSUBSCRIBE}/{{key}}"
        return [Route(path, self._page), Route(path, self._leave, methods=["POST"])]

    async def _page(self, request: Request) -> Response:
        asked = ApiRequest(request.scope, request.receive)
        self._person(asked, request.path_params["key"])
        return await rendering.page(asked, "unsubscribe.html", is_done=False)

    async def _leave(self, request: Request) -> Response:
        asked = ApiRequest(request.scope, request.receive)
        org, user_id = self._person(asked, request.path_params["key"])
        db = self._services.database.of(org.realm.id)
        await db.write(actions.personal.missed.unsubscribe, user_id)
        return await rendering.page(asked, "unsubscribe.html", is_done=True)

    def _person(self, asked: ApiRequest, key: str) -> tuple[Organization, int]:
        org = api.call.find_organization(self._services, asked.host)
        number = key.partition("-")[0]
        if org is None or not (number.isascii() and number.isdecimal() and len(number) < 19):
            raise NotFound()
        expected = actions.personal.missed.unsubscribe_key(
            self._services.vault, org.realm.id, int(number)
        )
        if not hmac.compare_digest(key.encode(), expected.encode()):
            raise NotFound()
        return org, int(number)
