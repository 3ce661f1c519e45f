"""The API description as OpenAPI 3.1, from the same signatures that parse requests.

The document is byte for byte the same for the same routes, so that its changes can be reviewed.
Existing generators read the signatures of their frameworks; these signatures are ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, get_args, get_origin

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from tertulia.http.params import Contract, Parameter
from tertulia.http.replies import Encoded, RedirectReply, Reply
from tertulia.http.routing import Access, Route
from tertulia.wire import ALSO_DESCRIBED

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"
NOTHING: Mapping[Any, Any] = {}
BINARY = {"type": "string", "format": "binary", "contentMediaType": "application/octet-stream"}

ENVELOPE = {
    "type": "object",
    "properties": {
        "result": {"const": "success", "description": "Always `success`."},
        "msg": {"const": "", "description": "Always empty."},
        "ignored_parameters_unsupported": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Names of unknown parameters in the request.",
        },
    },
    "required": ["result", "msg"],
}
ERROR = {
    "type": "object",
    "properties": {
        "result": {"const": "error", "description": "Always `error`."},
        "msg": {"type": "string", "description": "The error message."},
        "code": {
            "type": "string",
            "description": "The error code, such as `BAD_REQUEST` or `RATE_LIMIT_HIT`.",
        },
    },
    "required": ["result", "msg", "code"],
}
ERROR_CONTENT = {JSON: {"schema": {"$ref": REFERENCE.format(name="Error")}}}
RETRY_HEADERS = {
    "Retry-After": {
        "description": "In how many seconds to ask again.",
        "schema": {"type": "integer"},
    }
}

REFUSALS: dict[str, dict[str, Any]] = {
    "Refused": {
        "description": "It was not done; `code` and `msg` say why.",
        "content": ERROR_CONTENT,
    },
    "NotLoggedIn": {
        "description": "It is not known who asks, or the key is not good.",
        "content": ERROR_CONTENT,
    },
    "TooManyRequests": {
        "description": "One has asked too often.",
        "headers": RETRY_HEADERS,
        "content": ERROR_CONTENT,
    },
    "OutcomeUnknown": {
        "description": "The server failed. With the code `OUTCOME_UNKNOWN` it lost its data while"
        " it did this, which may therefore be done: look first, or repeat it with the same"
        " `Idempotency-Key`.",
        "content": ERROR_CONTENT,
    },
    "Unavailable": {
        "description": "The data cannot be reached now, or the server stops. Nothing was done, and"
        " the same request may be repeated.",
        "headers": RETRY_HEADERS,
        "content": ERROR_CONTENT,
    },
}

SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    "public": [],
    "spectator": [{"basic": []}, {}],
    "user": [{"basic": []}],
    "key": [{"key": []}, {"basic": []}],
}


class SentRequest(msgspec.Struct, frozen=True):
    """A request that this server sends, with the structs of its body and of the answer."""

    name: str
    summary: str
    body: type[msgspec.Struct]
    answer: type[msgspec.Struct]

    def described(self) -> dict[str, Any]:
        pair = [self.body, self.answer]
        _, found = msgspec.json.schema_components(pair, ref_template=REFERENCE)
        body, answer = ({"schema": found[each.__name__]} for each in pair)
        return {
            "post": {
                "operationId": f"webhooks.{self.name}",
                "summary": self.summary,
                "security": [],
                "requestBody": {"required": True, "content": {JSON: body}},
                "responses": {"200": {"description": "The answer.", "content": {JSON: answer}}},
            }
        }


def describe(
    routes: Iterable[Route],
    *,
    title: str,
    version: str,
    prefix: str = "/api/v1",
    about: str = "",
    schemas: Mapping[str, Mapping[str, Any]] = NOTHING,
    webhooks: Iterable[SentRequest] = (),
    headers: Mapping[tuple[str, str], Mapping[str, str]] = NOTHING,
) -> dict[str, Any]:
    """The whole document, ready to be encoded.

    `schemas` has those that no reply has, such as those of events; with the name of a reply, it
    gives more exact types to its fields, and may add fields.
    """
    routes = sorted(routes, key=lambda route: (route.path, route.method))
    replies, components = _reply_schemas(routes)
    titles = _titles(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = prefix + route.path.replace(":path}", "}")
        operation: dict[str, Any] = {"operationId": route.operation_id}
        added = headers.get((route.method, route.path), {})
        operation |= _operation(route, replies[route.contract.reply], added)
        operation["summary"] = titles[route.method, route.path]
        paths.setdefault(path, {})[route.method.lower()] = operation
    document = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version} | ({"description": about} if about else {}),
        "servers": [{"url": "/"}],
        "paths": paths,
        "webhooks": {each.name: each.described() for each in webhooks},
        "components": {
            "schemas": {"Envelope": ENVELOPE, "Error": ERROR, **_completed(components, schemas)},
            "responses": REFUSALS,
            "securitySchemes": {
                "basic": {"type": "http", "scheme": "basic"},
                "key": {"type": "apiKey", "in": "query", "name": "api_key"},
            },
        },
    }
    return dict(_without_titles(document))


def _titles(routes: Sequence[Route]) -> dict[tuple[str, str], str]:
    """Summaries; of several paths of one function, the shortest needs no addition."""
    titles: dict[tuple[str, str], str] = {}
    for route in sorted(routes, key=lambda route: len(route.path)):
        title = route.summary
        if title and title in titles.values():
            title = f"{title} (also at `{route.path}`)"
        titles[route.method, route.path] = title
    return titles


def _without_titles(value: Any) -> Any:
    """Removes `items: false`, which client generators do not support and `maxItems`
    already says."""
    if isinstance(value, dict):
        return {
            name: _without_titles(each)
            for name, each in value.items()
            if not (name == "items" and each is False)
        }
    return [_without_titles(each) for each in value] if isinstance(value, list) else value


def _operation(
    route: Route,
    reply: Mapping[str, Any],
    headers: Mapping[str, str],
) -> dict[str, Any]:
    has_query = route.method == "GET"
    contract = route.contract
    shown = [each for each in contract.parameters if each.example is not UNSET]
    example = {each.name: each.example for each in shown}
    parameters = [_path_parameter(name, contract) for name in contract.path_types]
    parameters += [
        {"name": name, "in": "header", "required": False, "description": words}
        | {"schema": {"type": "string"}}
        for name, words in headers.items()
    ]
    if has_query:
        parameters += _query_parameters(contract.parameters, example)
    operation: dict[str, Any] = {
        "tags": [route.tag],
        "security": SECURITY[route.access],
        "parameters": parameters,
        "responses": {
            "302" if contract.reply is RedirectReply else "200": {
                "description": "It was done.",
                "content": {JSON: {"schema": {"allOf": [_reference("Envelope"), reply]}}},
            },
            **({} if route.access == "public" else {"401": _refusal("NotLoggedIn")}),
            "429": _refusal("TooManyRequests"),
            **({} if has_query else {"500": _refusal("OutcomeUnknown")}),
            "503": _refusal("Unavailable"),
            "default": _refusal("Refused"),
        },
    }
    if contract.body_argument is not None:
        operation["parameters"] += _query_parameters(contract.parameters, example)
        operation["requestBody"] = {
            "description": "What the service sends.",
            "content": {JSON: {"schema": {}}, URLENCODED: {"schema": {}}},
        }
    elif not has_query and (contract.parameters or contract.files_argument):
        operation["requestBody"] = _body(contract.parameters, contract.files_argument, example)
    return operation


def _path_parameter(name: str, contract: Contract) -> dict[str, Any]:
    is_number = contract.path_types[name] is int
    schema = {"type": "integer", "minimum": 0} if is_number else {"type": "string"}
    shown = {"name": name, "in": "path", "required": True, "schema": schema}
    doc = contract.path_docs[name]
    example = {"example": doc.examples[0]} if doc.examples else {}
    return shown | _description(doc) | example


def _query_parameters(
    parameters: Sequence[Parameter], example: Mapping[str, Any]
) -> list[dict[str, Any]]:
    return [_query_parameter(each, example) for each in _with_aliases(parameters)]


def _with_aliases(parameters: Sequence[Parameter]) -> Iterator[Parameter]:
    """Older names are parameters of their own, because generated clients know nothing else."""
    for parameter in parameters:
        yield parameter
        for name in parameter.aliases:
            yield replace(
                parameter, name=name, aliases=(), is_required=False, alias_of=parameter.name
            )


def _query_parameter(parameter: Parameter, examples: Mapping[str, Any]) -> dict[str, Any]:
    schema = _described(parameter)
    words = schema.pop("description", "")
    shown: dict[str, Any] = {
        "name": parameter.name,
        "in": "query",
        "required": parameter.is_required,
    }
    if words:
        shown["description"] = words
    if parameter.alias_of:
        shown["deprecated"] = schema.pop("deprecated")
    example = {}
    if parameter.name in examples:
        example = {"example": examples[parameter.name]}
    if _is_json(parameter):
        # Not `content`: most generated clients drop such a parameter, and all can send a text.
        schema = {"type": "string", "contentMediaType": JSON, "contentSchema": schema}
        example = {name: _encoded(value) for name, value in example.items()}
    return shown | {"schema": schema, **example}


def _encoded(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _body(
    parameters: Sequence[Parameter], files_argument: str | None, example: Mapping[str, Any]
) -> dict[str, Any]:
    """A JSON object and a form with the same members; a file needs a form."""
    described = list(_with_aliases(parameters))
    properties = {each.name: _described(each) for each in described}
    required = [each.name for each in parameters if each.is_required and not each.aliases]
    encoding = {each.name: {"contentType": JSON} for each in described if _is_json(each)}
    if files_argument is not None:
        properties[files_argument] = BINARY | {
            "description": "The file; the field of the form may have any name."
        }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    content: dict[str, Any] = {"schema": schema}
    if example:
        content["example"] = dict(example)
    form = content | ({"encoding": encoding} if encoding else {})
    if files_argument is not None:
        return {"required": True, "content": {MULTIPART: form}}
    # Parameters may be in the address instead, and generators fail at a required body of two types.
    return {"required": False, "content": {JSON: content, URLENCODED: form}}


def _is_json(parameter: Parameter) -> bool:
    """In a form, scalars look the same as in JSON; only lists and objects are marked as JSON."""
    if any(branch.get("type") == "array" for branch in parameter.schema.get("anyOf", ())):
        return True
    return parameter.form == "json" and parameter.schema.get("type") not in (
        "integer",
        "boolean",
        "number",
    )


def _described(parameter: Parameter) -> dict[str, Any]:
    if parameter.alias_of:
        words = f"The older name of `{parameter.alias_of}`."
        return dict(parameter.schema) | {"description": words, "deprecated": True}
    schema = dict(parameter.schema) | _description(parameter.doc)
    if not parameter.is_required and parameter.default not in (None, UNSET):
        schema["default"] = msgspec.to_builtins(parameter.default)
    return schema


def _reply_schemas(routes: Sequence[Route]) -> tuple[dict[Any, Any], dict[str, Any]]:
    replies = {route.contract.reply: _struct_of(route) for route in routes}
    used = ALSO_DESCRIBED.union(replies.values())
    structs = sorted(used, key=lambda each: (each.__name__, each.__module__))
    found, components = msgspec.json.schema_components(structs, ref_template=REFERENCE)
    by_struct = dict(zip(structs, found, strict=True))
    schemas = {reply: by_struct[struct] for reply, struct in replies.items()}
    return schemas, dict(sorted(components.items()))


def _completed(schemas: Mapping[str, Any], more: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The schemas with those that no reply has, without docstrings, which are for developers."""
    described = {}
    for kind in (*schemas, *(name for name in more if name not in schemas)):
        schema = dict(more.get(kind, {}) | schemas.get(kind, {}))
        schema.pop("description", None)
        fields = schema.get("properties", {}) | more.get(kind, {}).get("properties", {})
        if fields:
            schema["properties"] = {name: _hoisted(field) for name, field in fields.items()}
        described[kind] = schema
    return described


def _hoisted(field: Mapping[str, Any]) -> dict[str, Any]:
    """The field with the description that a branch of its union has: `ChannelId | None`."""
    branches = [dict(each) for each in field.get("anyOf", ())]
    words = [each.pop("description") for each in branches if "description" in each]
    return dict(field) | ({"description": words[0], "anyOf": branches} if words else {})


def _description(doc: msgspec.Meta) -> dict[str, str]:
    return {"description": doc.description} if doc.description else {}


def _refusal(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/responses/{name}"}


def _struct_of(route: Route) -> type[Reply]:
    reply = route.contract.reply
    if reply is NoneType:
        return Reply
    struct = get_args(reply)[0] if get_origin(reply) is Encoded else reply
    if not (isinstance(struct, type) and issubclass(struct, Reply)):
        raise TypeError(f"{route.method} {route.path} must return a Reply, not {reply!r}")
    return struct


def _reference(name: str) -> dict[str, str]:
    return {"$ref": REFERENCE.format(name=name)}
