"""Declining a call from a notification that has no session, such as that of ntfy."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import api, features, storage
from tertulia.api.call import Services
from tertulia.database.tx import Tx
from tertulia.errors.http import NotFound
from tertulia.features.calls.running_calls import Change
from tertulia.http.request import ApiRequest


class DeclinedCalls:
    def __init__(self, services: Services) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        path = f"{features.calls.rings.DECLINE_PATH}/{{token}}/{{key}}"
        return [Route(path, self._decline, methods=["POST"])]

    async def _decline(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        token, key = request.path_params["token"], request.path_params["key"]
        org = await api.call.find_organization(self._services, api_request.host)
        if org is None:
            raise NotFound()
        vault = self._services.vault
        user_id = features.calls.rings.declining_user(vault, org.realm.id, token, key)
        if user_id is None:
            raise NotFound()
        db = self._services.database.of(org.realm.id)
        change = await db.write(_decline, user_id, token)
        features.calls.endpoints.publish(self._services.delivery, org, change)
        return Response(status_code=204)


def _decline(tx: Tx, user_id: int, token: str) -> Change:
    user = storage.people.users.find(tx, user_id)
    if user is None or not user.is_active:
        raise NotFound()
    return features.calls.running_calls.decline(tx, user, token)
