"""Pages that list the webhook integrations and show the URL to paste into the other service.

They need no login and contain no key: the person who creates the bot adds its key.
"""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import api, integrations
from tertulia.api.call import Services
from tertulia.http.request import ApiRequest
from tertulia.integrations import Integration
from tertulia.web import rendering

KEY = "API_KEY"  # placeholder of the bot's key
MAX_NAME_LENGTH = 100


class IntegrationPages:
    def __init__(self, services: Services) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        return [
            Route("/integrations", self._list),
            Route("/integrations/{name}", self._one),
        ]

    async def _list(self, request: Request) -> Response:
        return await _listed(ApiRequest(request.scope, request.receive))

    async def _one(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        service = integrations.find(request.path_params["name"])
        if service is None:
            return await _listed(api_request, status=404)
        channel = request.query_params.get("stream", "general")[:MAX_NAME_LENGTH]
        topic = request.query_params.get("topic", "")[:MAX_NAME_LENGTH]
        return await rendering.page(
            api_request,
            "integration.html",
            service=service,
            setup_hint=api.integrations.setup_hint(service),
            channel=channel,
            topic=topic,
            key=KEY,
            address=await self._address(api_request, service, channel, topic),
        )

    async def _address(
        self, api_request: ApiRequest, service: Integration, channel: str, topic: str
    ) -> str:
        org = await api.call.find_organization(self._services, api_request.host)
        given = {"api_key": KEY, "stream": channel, "topic": topic}
        query = urlencode({name: value for name, value in given.items() if value})
        site = api.call.site(self._services.config, api_request, org)
        return f"{site}/api/v1/external/{service.name}?{query}"


async def _listed(api_request: ApiRequest, status: int = 200) -> Response:
    services = sorted(integrations.INTEGRATIONS.values(), key=lambda each: each.title.lower())
    return await rendering.page(api_request, "integrations.html", status=status, services=services)
