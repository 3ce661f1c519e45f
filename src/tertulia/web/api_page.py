"""The page `/api`: the description of the API for people, with calls to copy.

It is drawn from the same document that programs read at `/api/v1/openapi.json`.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tertulia import api
from tertulia.api.call import Services
from tertulia.errors.codes import error_codes
from tertulia.http.request import ApiRequest
from tertulia.web import rendering

PREFIX = "/api/v1"
METHODS = ("get", "post", "put", "patch", "delete")


class ShownParameter(msgspec.Struct, frozen=True):
    name: str
    words: str
    kind: str
    is_required: bool


class ShownField(msgspec.Struct, frozen=True):
    """A field of a response; a nested field has the name of its parent in front."""

    name: str
    words: str
    kind: str


class ShownCall(msgspec.Struct, frozen=True):
    """One call of the API."""

    id: str
    method: str
    path: str
    summary: str
    parameters: list[ShownParameter]
    fields: list[ShownField]
    path_values: dict[str, Any]  # an example of each path parameter
    example: dict[str, Any]  # example parameters
    takes_file: bool

    @property
    def filled_path(self) -> str:
        return self.path.format(**self.path_values)

    def curl(self, site: str) -> str:
        params = {name: _text(value) for name, value in self.example.items()}
        address = f"{site}{PREFIX}{self.filled_path}"
        start = 'curl -u "$EMAIL:$KEY"'
        if self.takes_file:
            lines = [f"{start} -X {self.method} {shlex.quote(address)}", "  -F file=@picture.png"]
            lines += [f"  --form-string {shlex.quote(f'{k}={v}')}" for k, v in params.items()]
            return " \\\n".join(lines)
        if self.method == "GET":
            query = f"?{urlencode(params)}" if params else ""
            return f"{start} {shlex.quote(address + query)}"
        lines = [f"{start} -X {self.method} {shlex.quote(address)}"]
        lines += [f"  --data-urlencode {shlex.quote(f'{k}={v}')}" for k, v in params.items()]
        return " \\\n".join(lines)

    def python(self) -> str:
        request = f", request={self.example!r}" if self.example else ""
        where = f'"{self.filled_path[1:]}", method="{self.method}"{request}'
        if self.takes_file:
            return (
                f'with open("picture.png", "rb") as file:\n'
                f"    client.call_endpoint({where}, files=[file])"
            )
        return f"client.call_endpoint({where})"


class ApiPage:
    def __init__(self, services: Services, description: Callable[[], bytes]) -> None:
        self._services = services
        self._description = description

    def routes(self) -> list[Route]:
        return [Route("/api", self._page)]

    async def _page(self, request: Request) -> Response:
        api_request = ApiRequest(request.scope, request.receive)
        org = await api.call.find_organization(self._services, api_request.host)
        groups: dict[str, list[ShownCall]] = {}
        described: dict[str, Any] = msgspec.json.decode(self._description())
        for tag, call in shown_calls(described):
            groups.setdefault(tag.replace("_", " "), []).append(call)
        return await rendering.page(
            api_request,
            "api.html",
            about=described["info"]["description"],
            site=api.call.site(self._services.config, api_request, org),
            groups=groups,
            error_codes=error_codes(),
        )


def shown_calls(description: Mapping[str, Any]) -> Iterator[tuple[str, ShownCall]]:
    """All calls, each with its tag."""
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
                        list(_fields(description, operation)),
                        {
                            each["name"]: each.get("example", "…")
                            for each in operation["parameters"]
                            if each["in"] == "path"
                        },
                        _example(operation),
                        "multipart/form-data" in _contents(operation),
                    ),
                )


def _parameters(operation: Mapping[str, Any]) -> Iterator[ShownParameter]:
    for each in operation["parameters"]:
        schema = each["schema"].get("contentSchema", each["schema"])
        words = each.get("description", "")
        yield ShownParameter(each["name"], words, _kind(schema), each["required"])
    for media in list(_contents(operation).values())[:1]:  # the others have the same fields
        required = media["schema"].get("required", [])
        for name, schema in media["schema"].get("properties", {}).items():
            words = schema.get("description", "")
            yield ShownParameter(name, words, _kind(schema), name in required)


def _fields(description: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[ShownField]:
    """The fields of a response and their fields, one level deep."""
    answer = next(iter(operation["responses"].values()))
    _, reply_schema = answer["content"]["application/json"]["schema"]["allOf"]
    for name, schema in _properties(description, reply_schema).items():
        yield ShownField(name, schema.get("description", ""), _kind(schema))
        for inner, within in _properties(description, schema.get("items", schema)).items():
            yield ShownField(f"{name}.{inner}", within.get("description", ""), _kind(within))


def _properties(description: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    found: dict[str, Any] = schema.get("properties", {})
    return found


def _example(operation: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for each in operation["parameters"]:
        if each["in"] == "query" and "example" in each:
            found[each["name"]] = each["example"]
    for media in _contents(operation).values():
        found |= media.get("example", {})
    return found


def _contents(operation: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    return found


def _kind(schema: Mapping[str, Any]) -> str:
    """A short text for a schema's type."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(_text(each) for each in schema["enum"])
    kind = schema.get("type", "")
    if isinstance(kind, list):
        return " or ".join(kind)
    return str(kind) or ("object" if "$ref" in schema else "JSON")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
