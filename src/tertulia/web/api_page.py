"""The page `/api`: the description of the API for people, with calls to copy.

It is drawn from the same document that programs read at `/api/v1/openapi.json`.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import api
from tertulia.api.call import Services
from tertulia.http.request import ApiRequest
from tertulia.web import rendering

PREFIX = "/api/v1"
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class ShownParameter:
    name: str
    words: str
    kind: str
    is_required: bool
    example: Any = None


@dataclass(frozen=True, slots=True)
class ShownCall:
    """One thing that can be asked for."""

    id: str
    method: str
    path: str
    summary: str
    parameters: list[ShownParameter]

    def example(self) -> dict[str, Any]:
        """What has to be sent, and what makes sense to somebody who tries it."""
        return {
            each.name: "…" if each.example is None else each.example
            for each in self.parameters
            if "{" + each.name + "}" not in self.path
            and (each.is_required or each.example is not None)
        }

    def curl(self, site: str) -> str:
        params = {name: _text(value) for name, value in self.example().items()}
        address = f"{site}{PREFIX}{self.path}"
        start = 'curl -u "$EMAIL:$KEY"'
        if self.method == "GET":
            query = f"?{urlencode(params)}" if params else ""
            return f"{start} {shlex.quote(address + query)}"
        lines = [f"{start} -X {self.method} {shlex.quote(address)}"]
        lines += [f"  --data-urlencode {shlex.quote(f'{k}={v}')}" for k, v in params.items()]
        return " \\\n".join(lines)

    def python(self) -> str:
        request = f", request={self.example()!r}" if self.example() else ""
        return f'client.call_endpoint("{self.path[1:]}", method="{self.method}"{request})'


class ApiPage:
    def __init__(self, services: Services, description: Callable[[], bytes]) -> None:
        self._services = services
        self._description = description

    def routes(self) -> list[Route]:
        return [Route("/api", self._page)]

    async def _page(self, request: Request) -> Response:
        asked = ApiRequest(request.scope, request.receive)
        org = api.call.find_organization(self._services, asked.host)
        groups: dict[str, list[ShownCall]] = {}
        described: dict[str, Any] = msgspec.json.decode(self._description())
        for tag, call in shown_calls(described):
            groups.setdefault(tag.replace("_", " "), []).append(call)
        return await rendering.page(
            asked,
            "api.html",
            about=described["info"]["description"],
            site=api.call.site(self._services.config, asked, org),
            groups=groups,
        )


def shown_calls(description: Mapping[str, Any]) -> Iterator[tuple[str, ShownCall]]:
    """Every call, and the subject it belongs to."""
    for path, operations in description["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                yield (
                    operation["tags"][0],
                    ShownCall(
                        operation["operationId"],
                        method.upper(),
                        path.removeprefix(PREFIX),
                        operation["summary"],
                        list(_parameters(operation)),
                    ),
                )


def _parameters(operation: Mapping[str, Any]) -> Iterator[ShownParameter]:
    for each in operation["parameters"]:
        schema = each.get("schema") or each["content"]["application/json"]["schema"]
        words = each.get("description", "")
        yield _shown(each["name"], words, schema, each["required"])
    for media in operation.get("requestBody", {}).get("content", {}).values():
        required = media["schema"].get("required", [])
        for name, schema in media["schema"].get("properties", {}).items():
            yield _shown(name, schema.get("description", ""), schema, name in required)


def _shown(name: str, words: str, schema: Mapping[str, Any], is_required: bool) -> ShownParameter:
    kind = schema.get("type", "")
    kinds = ", ".join(kind) if isinstance(kind, list) else str(kind)
    example = (schema.get("examples") or [None])[0]
    return ShownParameter(name, words, kinds or "JSON", is_required, example)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
