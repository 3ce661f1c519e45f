"""A small service to try the HTTP layer on: a kitchen with pots, and a bell that rings late."""

import asyncio
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import httpx
import msgspec
from starlette.types import ASGIApp
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.config import Config
from tertulia.errors import BadRequest
from tertulia.errors.authentication import GuestRefused, NotLoggedIn
from tertulia.http.dispatch import Api
from tertulia.http.exchange import Message
from tertulia.http.forms import Files
from tertulia.http.parameter_rules import Alias, MaxLength, NotBlank, Stripped
from tertulia.http.replies import Encoded, Reply
from tertulia.http.request import ApiRequest
from tertulia.http.routing import Route, delete, get, patch, post
from tertulia.wire import Doc

FORM = "application/x-www-form-urlencoded"


@dataclass
class Call:
    """What `authenticate` hands to the endpoints."""

    name: str
    request: ApiRequest
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    waits_for_bell: asyncio.Event = field(default_factory=asyncio.Event)


class Pot(Reply):
    pot_id: Annotated[int, Doc("The number of the pot.", example=7)]
    name: str
    owner: Annotated[int, Doc("The cook.")] | msgspec.UnsetType | None = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET


class Pots(Reply):
    pots: list[str]


async def pots(call: Call, *, sizes: list[int] | None = None, hot: bool = False) -> Pots:
    """Lists the pots.

    Largest first.
    """
    return Pots(pots=[f"pot {size}" for size in sizes or ()] + ["hot"] * hot)


async def pot(call: Call, pot_id: Annotated[int, Doc("The number of the pot.")]) -> Pot:
    """Shows one pot."""
    return Pot(pot_id=pot_id, name="soup")


async def pot_by_name(call: Call, name: str) -> Pot:
    return Pot(pot_id=0, name=name)


async def cook(
    call: Call,
    *,
    name: Annotated[str, Stripped, NotBlank, MaxLength(10)],
    kind: Annotated[Literal["soup", "stew"], Doc("What is in it.")] = "soup",
    topic: Annotated[str | None, Alias("subject")] = None,
) -> Pot:
    """Puts a pot on the stove."""
    return Pot(pot_id=1, name=name, note=topic or kind)


async def empty(call: Call, pot_id: int) -> None:
    pass


async def deliver(call: Call, *, files: Files) -> Pots:
    return Pots(pots=[f"{each.name} {each.filename} {len(each.data)}" for each in files])


async def whoami(call: Call) -> Pots:
    request = call.request
    return Pots(pots=[call.name, request.client_name(), request.client_address, request.scheme])


async def burn(call: Call, *, secret: str) -> None:
    raise RuntimeError(secret)


async def wait(call: Call) -> Encoded[Pots]:
    """Waits for the bell."""
    call.waits_for_bell.set()
    await asyncio.wait_for(call.bell.wait(), TIMEOUT_SECONDS)
    return Encoded(b'{"pots":["rung"]}')


async def rung(call: Call) -> Encoded[Pots]:
    return Encoded(b'{"pots":["rung"]}')


async def silent(call: Call) -> Encoded[Reply]:
    return Encoded(b"{}")


def no_guests(call: Call) -> None:
    if call.name == "guest":
        raise GuestRefused


ROUTES = [
    get("/pots", pots, "get-pots", access="public"),
    post("/pots", cook, "post-cook", requires=no_guests),
    get("/pots/{pot_id}", pot, "get-pot"),
    get("/pots/{name}", pot_by_name, "get-pot-by-name"),
    patch("/pots/{pot_id}", empty, "patch-empty"),
    delete("/pots/{pot_id}", empty, "delete-empty"),
    get("/pots/rung", rung, "get-rung"),
    get("/pots/silent", silent, "get-silent"),
    post("/deliveries", deliver, "post-deliver", max_body=3000),
    get("/whoami", whoami, "get-whoami"),
    post("/burn", burn, "post-burn"),
    get("/wait", wait, "get-wait", long_poll=True),
]


class SampleApi:
    """The toy service and a caller."""

    def __init__(self, **settings: Any) -> None:
        self.bell, self.waits_for_bell = asyncio.Event(), asyncio.Event()
        self.observed: list[tuple[str, str, int]] = []
        self.api: ASGIApp = Api(ROUTES, self.authenticate, Config(**settings), observe=self.observe)

    async def authenticate(self, request: ApiRequest, route: Route) -> Call:
        request.reply_headers["X-RateLimit-Limit"] = "200"
        name = request.header("Authorization") or ""
        if not name and route.access != "public":
            raise NotLoggedIn
        if name == "stranger":
            raise BadRequest("Who are you?")
        return Call(name, request, self.bell, self.waits_for_bell)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        self.observed.append((method, route, status))

    def call(self, method: str, path: str, *, who: str = "ana", **options: Any) -> httpx.Response:
        options["headers"] = {"Authorization": who} | options.get("headers", {})
        return asyncio.run(self._call(method, f"http://kitchen/api/v1{path}", options))

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.call("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.call("POST", path, **options)

    async def _call(self, method: str, url: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(self.api, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.request(method, url, **options)

    def raw(self, scope: dict[str, Any], *messages: Message) -> tuple[int, dict[str, Any]]:
        """Sends exactly these ASGI messages; returns the status and the JSON of the answer."""
        sent = asyncio.run(self.exchange(http_scope(**scope), list(messages)))
        return sent[0]["status"], msgspec.json.decode(sent[1]["body"])

    async def exchange(self, scope: dict[str, Any], messages: list[Message]) -> list[Message]:
        sent: list[Message] = []

        async def receive() -> Message:
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await self.api(scope, receive, send)
        return sent


def http_scope(
    method: str = "GET",
    path: str = "/api/v1/pots",
    query: bytes = b"",
    headers: list[tuple[bytes, bytes]] | None = None,
    client: str = "192.0.2.1",
) -> dict[str, Any]:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": [(b"authorization", b"ana"), *(headers or [])],
        "client": (client, 5000),
        "scheme": "http",
    }
