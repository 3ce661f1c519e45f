"""The pages that list what other services can send, and give the address to paste there.

They need no login and know no key: whoever makes the bot puts its key in.
"""

import html
import re
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tertulia import api, integrations
from tertulia.api.call import Services
from tertulia.http.request import ApiRequest
from tertulia.integrations import Integration
from tertulia.web.pages import framed

KEY = "API_KEY"  # stands in for the bot's own

_CODE = re.compile("`([^`]*)`")


class IntegrationPages:
    def __init__(self, services: Services) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        return [
            Route("/integrations", self._list),
            Route("/integrations/{name}", self._one),
        ]

    async def _list(self, request: Request) -> Response:
        rows = "".join(
            f'<li><a href="/integrations/{each.name}">{_text(each.title)}</a></li>\n'
            for each in sorted(integrations.INTEGRATIONS.values(), key=lambda each: each.title)
        )
        return HTMLResponse(
            framed(
                "Integrations",
                "<h1>Integrations</h1>\n<p>Services that can write to your channels. Make a bot of"
                " the type <em>incoming webhook</em>, choose a service, and paste the address it"
                f" shows.</p>\n<ul class=columns>\n{rows}</ul>",
            )
        )

    async def _one(self, request: Request) -> Response:
        service = integrations.find(request.path_params["name"])
        if service is None:
            page = framed(
                "Integrations", '<p>There is no such <a href="/integrations">one</a>.</p>'
            )
            return HTMLResponse(page, status_code=404)
        channel = request.query_params.get("stream", "general")[:100]
        topic = request.query_params.get("topic", "")[:100]
        return HTMLResponse(
            framed(service.title, self._described(service, self._site(request), channel, topic))
        )

    def _site(self, request: Request) -> str:
        org = api.call.find_organization(self._services, request.headers.get("host", ""))
        asked = ApiRequest(request.scope, request.receive)
        return api.call.site(self._services.config, asked, org)

    def _described(self, service: Integration, site: str, channel: str, topic: str) -> str:
        given = {"api_key": KEY, "stream": channel, "topic": topic}
        query = urlencode({name: value for name, value in given.items() if value})
        address = f"{site}/api/v1/external/{service.name}?{query}"
        signed = (
            f"<p>{_text(service.title)} signs what it sends. If you give it a secret, add"
            " <code>&amp;webhook_secret=…</code> with the same one, and nothing else is let in.</p>"
            if service.check is not None
            else ""
        )
        return f"""<p><a href="/integrations">Integrations</a></p>
<h1>{_text(service.title)}</h1>
<form>
<label>Channel <input name="stream" value="{_text(channel)}"></label>
<label>Topic <input name="topic" value="{_text(topic)}" placeholder="chosen by the event"></label>
<button>Show the address</button>
</form>
<p>Paste this, with the key of your bot in place of <code>{KEY}</code>.
{_with_code(service.paste)}</p>
<pre>{_text(address)}</pre>
{signed}
<p>Without a channel the bot writes to its owner.
<code>&amp;only_events=["push","pull_request.*"]</code> and <code>&amp;exclude_events=[…]</code>
choose what is told; for code, <code>&amp;branches=main,release/*</code> and
<code>&amp;ignore_private_repositories=true</code> do too.</p>"""


def _with_code(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", _text(text))


def _text(text: str) -> str:
    return html.escape(text)
