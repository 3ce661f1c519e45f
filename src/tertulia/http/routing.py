"""Routing from paths to endpoints: `get("/messages/{message_id}", messages.fetch, "get-message")`.

A signature that contradicts its path fails at the start; the rest of it is compiled with the first
call. Paths are matched segment by segment: literal text before digits before anything else. The
endpoint's type decides whether `{x}` matches only digits: `x: int`. Written here because frameworks
try one pattern after the other and have no such order.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, NoReturn, TypedDict, Unpack

import msgspec
from msgspec.structs import replace

from tertulia.errors import ClientError
from tertulia.errors.http import MethodNotAllowed, NotFound, TrailingSlash, WrongPath
from tertulia.http.forms import unquote
from tertulia.http.parameter_rules import NO_ID, parse_id
from tertulia.http.params import Contract, contract_of, path_types_of

Access = Literal["user", "public", "spectator", "key"]
Endpoint = Callable[..., Awaitable[Any]]

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")  # in the order of the Allow header
MAX_SHOWN_PATH = 200

_PREFIXES = re.compile("(?:/api(?=/)|/v[0-9](?=/))*")


class Route(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    endpoint: Endpoint
    operation_id: str  # as in Zulip's description where it has the same operation
    access: Access = "user"  # `authenticate` enforces it
    # ("key": a key in the URL, for clients that cannot send headers)
    webhook_bots: bool = False  # whether incoming webhook bots may call it
    requires: Callable[[Any], None] | None = None  # role check, before the parameters are parsed
    max_body: int | None = None  # bytes; overrides the server's limit
    long_poll: bool = False  # waits long, so it is cancelled when the client disconnects
    is_recorded: bool = False  # has an entry in the audit log and a log line
    recorded_with: frozenset[str] = frozenset()  # only if one of these parameters is given

    @property
    def contract(self) -> Contract:
        """Compiled with the first use, so that the start is fast."""
        return contract_of(self.endpoint)

    @property
    def summary(self) -> str:
        return (self.endpoint.__doc__ or "").strip().partition("\n")[0].rstrip(".")

    @property
    def tag(self) -> str:
        return self.endpoint.__module__.rpartition(".")[2]

    @property
    def segments(self) -> list[str]:
        return self.path.split("/")[1:]

    def records(self, params: Mapping[str, str]) -> bool:
        """Whether a call with these parameters is recorded in the audit log."""
        wanted = self.recorded_with
        return self.is_recorded and (not wanted or not wanted.isdisjoint(params))

    def shown(self, path: str) -> str:
        """The path for logs: with ids, without texts from the client."""
        given = path.split("/")[-len(self.segments) :]
        filled = (
            each if word.startswith("{") and each.isdecimal() else word
            for word, each in zip(self.segments, given, strict=False)
        )
        return "/" + "/".join(filled)


class RouteOptions(TypedDict, total=False):
    """Options of a route; see `Route`."""

    access: Access
    webhook_bots: bool
    requires: Callable[[Any], None] | None
    max_body: int | None
    long_poll: bool


def _route(
    method: str,
    path: str,
    endpoint: Endpoint,
    operation_id: str,
    **options: Unpack[RouteOptions],
) -> Route:
    route = Route(method=method, path=path, endpoint=endpoint, operation_id=operation_id, **options)
    named = [_name(segment) for segment in route.segments if _name(segment)]
    if sorted(named) != sorted(path_types_of(endpoint)):
        raise TypeError(f"{method} {path} and {endpoint.__qualname__}() name different things")
    return route


get = partial(_route, "GET")
post = partial(_route, "POST")
put = partial(_route, "PUT")
patch = partial(_route, "PATCH")
delete = partial(_route, "DELETE")


def requiring(rule: Callable[[Any], None], *routes: Route) -> list[Route]:
    """Routes that require a role check."""
    return [replace(each, requires=rule) for each in routes]


def _name(segment: str) -> str:
    """`message_id` for `{message_id}`; empty for literal text."""
    return segment[1:-1].removesuffix(":path") if segment.startswith("{") else ""


# --- Finding a route ------------------------------------------------------------------------------


@dataclass
class RouteNode:
    """A path and its routes by method."""

    routes: dict[str, Route] = field(default_factory=dict)
    words: dict[str, "RouteNode"] = field(default_factory=dict)
    number: "RouteNode | None" = None
    text: "RouteNode | None" = None
    rest: "RouteNode | None" = None  # matches the rest of the path, with slashes

    @cached_property
    def keeps_body(self) -> bool:
        """Whether a route here needs the unparsed body."""
        return any(route.contract.body_argument for route in self.routes.values())

    @cached_property
    def streams_files(self) -> bool:
        """Whether a route here streams files."""
        return any(route.contract.streams_files for route in self.routes.values())

    def methods(self) -> list[str]:
        found = [*self.routes, *(["HEAD"] if "GET" in self.routes else [])]
        return sorted(found, key=METHODS.index)

    def route(self, method: str) -> Route:
        """Raises MethodNotAllowed."""
        route = self.routes.get("GET" if method == "HEAD" else method)
        if route is None:
            raise MethodNotAllowed(allowed_methods=self.methods())
        return route


class Router:
    def __init__(
        self,
        routes: Iterable[Route],
        prefix: str = "",
        absent: Mapping[str, ClientError] | None = None,
    ) -> None:
        self._prefix = prefix
        self._absent = absent or {}
        self._root = RouteNode()
        self._fixed: dict[str, RouteNode] = {}  # paths without variables
        for route in routes:
            node = self._root
            path_types = path_types_of(route.endpoint)
            for segment in route.segments:
                node = _below(node, segment, path_types)
            if route.method in node.routes:
                raise TypeError(f"{route.method} {route.path} is there twice")
            node.routes[route.method] = route
            if not path_types and route.path.isascii():
                self._fixed[prefix + route.path] = node

    def find(self, path: str) -> tuple[RouteNode, list[str]]:
        """The node for a path, and the texts of its variables, in order.

        `path` is still percent-encoded. Raises NotFound, NotUtf8, or the error from `absent`.
        """
        if path in self._fixed:
            return self._fixed[path], []
        if "%00" in path:
            raise NotFound
        if not path.startswith(self._prefix + "/"):
            meant = self.intended_path(path)
            raise WrongPath(path=meant) if meant else NotFound
        if path.endswith("/"):
            self._raise_trailing_slash(path.rstrip("/"))
        segments = [unquote(each) for each in path[len(self._prefix) :].split("/") if each]
        found = _search(self._root, segments, 0)
        if found is not None:
            return found
        for length in range(1, len(segments) + 1):
            refusal = self._absent.get("/".join(segments[:length]))
            if refusal is not None:
                raise refusal
        meant = self.intended_path(path)
        raise WrongPath(path=meant) if meant else NotFound

    def intended_path(self, path: str) -> str | None:
        """The path of an endpoint that a caller wrote with another prefix: none, half of it,
        another version, or twice."""
        meant = self._prefix + _PREFIXES.sub("", path, count=1)
        if meant == path or len(meant) > MAX_SHOWN_PATH:
            return None
        with suppress(ClientError):
            self.find(meant)
            return meant
        return None

    def _raise_trailing_slash(self, meant: str) -> NoReturn:
        try:
            self.find(meant)
        except ClientError:
            raise NotFound from None
        raise TrailingSlash(path=meant[:MAX_SHOWN_PATH])


def path_arguments(route: Route, texts: Sequence[str]) -> dict[str, int | str]:
    names = (_name(segment) for segment in route.segments if _name(segment))
    types = route.contract.path_types
    return {
        name: _number(text) if types[name] is int else text
        for name, text in zip(names, texts, strict=True)
    }


def _number(digits: str) -> int:
    found = parse_id(digits)
    return NO_ID if found is None else found


def _below(node: RouteNode, segment: str, types: Mapping[str, type]) -> RouteNode:
    if not _name(segment):
        return node.words.setdefault(segment, RouteNode())
    if segment.endswith(":path}"):
        node.rest = node.rest or RouteNode()
        return node.rest
    if types[_name(segment)] is int:
        node.number = node.number or RouteNode()
        return node.number
    node.text = node.text or RouteNode()
    return node.text


def _search(node: RouteNode, segments: list[str], depth: int) -> tuple[RouteNode, list[str]] | None:
    if depth == len(segments):
        return (node, []) if node.routes else None
    segment = segments[depth]
    if segment in node.words:
        found = _search(node.words[segment], segments, depth + 1)
        if found:
            return found
    if node.number and segment.isascii() and segment.isdecimal():
        found = _search(node.number, segments, depth + 1)
        if found:
            return found[0], [segment, *found[1]]
    if node.text:
        found = _search(node.text, segments, depth + 1)
        if found:
            return found[0], [segment, *found[1]]
    if node.rest:
        return node.rest, ["/".join(segments[depth:])]
    return None
