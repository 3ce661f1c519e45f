"""Fuzzing: random requests to every endpoint get a documented answer.

Requests are made from the server's own API description: for every parameter valid values, nearly
valid values and hostile ones. The test client checks every answer against the contract; none is a
500. A refused request changes nothing. `TERTULIA_TEST_SEED` repeats a run. Some requests come with
a cookie under `/json`, some as multipart forms, and some go to pages without login.
"""

import os
import random
from collections import Counter
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import pytest
from tests.support import access_matrix
from tests.support.browser import Browser
from tests.support.client import FORM as FORM_OF_A_PAGE
from tests.support.client import Reply, wire
from tests.support.files import FORM
from tests.support.people import Caller, Chat
from tests.support.pictures import BOUNDARY

from tertulia.api.routes import ROUTES
from tertulia.app import description
from tertulia.http.routing import Route

REQUESTS = int(os.environ.get("TERTULIA_TEST_REQUESTS", "100000"))  # in a long run

# Slow on purpose, or they end the account of a caller; they have tests of their own.
LEFT_OUT = {
    ("POST", "/fetch_api_key"),
    ("POST", "/jwt/fetch_api_key"),
    ("POST", "/users/me/api_key/regenerate"),
    ("POST", "/bots/{bot_id}/api_key/regenerate"),
    ("POST", "/realm/deactivate"),
    ("DELETE", "/users/me"),
    ("DELETE", "/users/{user_id}"),
    ("DELETE", "/bots/{bot_id}"),
}
NOT_SENT = {"email", "new_email", "new_password", "old_password", "method"}

PAGE_URLS = [
    "/", "/login/", "/logout/", "/register/", "/accounts/login/", "/accounts/find/",
    "/accounts/go/", "/accounts/password/reset/", "/accounts/second_factor/",
    "/accounts/unsubscribe/missed_messages/{}",
    "/join/{}/", "/avatar/{}", "/avatar/{}/medium", "/user_avatars/{}/{}", "/user_uploads/{}/{}",
    "/user_uploads/temporary/{}/{}", "/user_uploads/thumbnail/{}/{}", "/external_content/{}/{}",
    "/static/{}", "/integrations", "/integrations/{}", "/api", "/api/{}", "/saml/{}",
    "/complete/{}/", "/json/{}", "/{}",
]  # fmt: skip

NASTY = [
    str(2**63),
    str(-(2**63) - 1),
    "-1",
    "1e400",
    "NaN",
    "null",
    "true",
    "",
    "\0",
    "a\0b",
    '"\\ud800"',
    '["\\udfff", 1]',
    "[" * 100_000,
    "[" * 40 + "]" * 40,
    '{"a":' * 40 + "1" + "}" * 40,
    "[9223372036854775808, -1, null, {}]",
    '{"name": null}',
    '[{"name": "\\u0000"}, {"name": 1e999}]',
    '[["is", "\\u0000"]]',
    '[{"operator": "id", "operand": 9223372036854775808}]',
    '[{"operator": "topic", "operand": "\\u0000"}]',
    '[{"operator": "dm", "operand": ["\\u0000"]}]',
    "﷽" * 3000,
    "9" * 5000,
    "\u202e\ufffe\U0010ffff",
]
WORDS = [
    "kitchen", "cellar", "lunch", "✔ lunch", "", "general chat", "newest", "oldest", "first_unread",
    "tada", "1f389", "unicode_emoji", "Owner", "owner@example.com", "new@example.com", "@**all**",
    "role:members", "#ff0000", "Europe/Berlin", "change_all", "add", "remove", "read", "starred",
    "https://example.com/%(id)s", r"#(?P<id>[0-9]+)", "```quote\nx\n```", "🙂" * 40, "x" * 12_000,
]  # fmt: skip
FIELDS = [
    "username",
    "password",
    "email",
    "next",
    "key",
    "token",
    "code",
    "SAMLResponse",
    "full_name",
]
OPERATORS = ["channel", "topic", "dm", "dm-including", "sender", "id", "with", "near", "is", "has",
             "in", "search", "channels", "mentions", "sender"]  # fmt: skip


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> str:
    """The same in every run, unless `--random` is given."""
    usual = str(random.randrange(10**6)) if request.config.getoption("random") else "1"
    return os.environ.get("TERTULIA_TEST_SEED") or usual


@pytest.mark.parametrize(
    "kind, quick_count, count",
    [
        ("sqlite", 900, 2700),
        pytest.param("postgres", 300, 300, marks=pytest.mark.postgres),
        pytest.param("sqlite", 0, REQUESTS * 7 // 10, marks=pytest.mark.soak),
        pytest.param(
            "postgres", 0, REQUESTS * 3 // 10, marks=[pytest.mark.soak, pytest.mark.postgres]
        ),
    ],
)
def test_every_answer_is_documented(
    chat: Chat, quick_count: int, count: int, seed: str, thorough: bool
):
    fuzzer = Fuzzer(chat, random.Random(seed))
    if quick_count and not thorough:
        count = quick_count

    for number in range(count):
        fuzzer.ask(number)

    expected = f"TERTULIA_TEST_SEED={seed} {fuzzer.statuses}"
    assert fuzzer.statuses[200] > count / 12, f"little was understood: {expected}"
    assert fuzzer.statuses[400] > count / 6, f"little was refused: {expected}"
    assert len(fuzzer.asked) == len(ROUTES) - len(LEFT_OUT), expected


class Fuzzer:
    """Cycles through endpoints and users; everything else is random."""

    def __init__(self, chat: Chat, chance: random.Random) -> None:
        people = access_matrix.create_people(chat)
        people["insider"].joins("cellar", invite_only=True)
        sent = [
            people["owner"].says("Soup", to="general > lunch").id,
            people["insider"].says("Wine", to="cellar > lunch").id,
            people["full"].says("Psst", to=[people["other"]]).id,
        ]
        self.statuses: Counter[int] = Counter()
        self.asked: set[tuple[str, str]] = set()
        self._chat, self._chance = chat, chance
        self._callers: list[Caller] = [*people.values(), chat.stranger]
        self._browsers: dict[Caller, Browser] = {
            each: Browser.of(each) for each in people.values() if each.record.bot_type is None
        }
        self._document = msgspec.json.decode(description())
        self._routes = [each for each in ROUTES if (each.method, each.path) not in LEFT_OUT]
        users = [person.id for person in people.values()]
        channels = [chat.channel(name).id for name in ("general", "cellar")]
        self._ids = [*sent, *users, *channels, chat.group("members"), chat.group("nobody"), 1, 7]

    def ask(self, number: int) -> None:
        route = self._routes[number % len(self._routes)]
        caller = self._chance.choice(self._callers)
        params = {
            name: self._value(schema)
            for name, schema in self._parameters(route).items()
            if name not in NOT_SENT and self._chance.random() < 0.7
        }
        if route.path == "/events" and route.method == "GET":
            params["dont_block"] = True
        watches = self._chance.random() < 0.1
        before = self._chat.head() if watches else 0

        response = self._sent(caller, route, params)
        if number % 10 == 0:
            self._knock()

        self.statuses[response.status] += 1
        self.asked.add((route.method, route.path))
        assert response.status < 500, (route, params)
        if watches and response.status != 200 and self._chat.head() != before:
            before = self._chat.head()  # a job may have written something in between
            caller.request(route.method, self._address(route), **params)
            assert self._chat.head() == before, (route, params)

    def _sent(self, caller: Caller, route: Route, params: dict[str, Any]) -> Reply:
        """As most programs send it, as the page does, or as a multipart form."""
        address, dice = self._address(route), self._chance.random()
        if dice < 0.15 and caller in self._browsers:
            return self._browsers[caller].calls(route.method, address, **params)
        if dice < 0.3 and route.method != "GET":
            return caller.raw(
                route.method,
                f"/api/v1{address}",
                b"".join(self._part(name, wire(value)) for name, value in params.items())
                + f"--{BOUNDARY}--\r\n".encode()[: self._chance.choice([99, 99, 3])],
                Content_Type=FORM,
            )
        return caller.request(route.method, address, **params)

    def _part(self, name: str, value: str) -> bytes:
        file = self._chance.choice(["", "", "", '; filename="x\\"y.txt"', "; filename*=UTF-8''%00"])
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        return f"{head}{value}\r\n".encode("utf-8", "surrogatepass")

    def _knock(self) -> None:
        """A page without login."""
        chance, stranger = self._chance, self._chat.stranger
        url = chance.choice(PAGE_URLS)
        for _ in range(url.count("{}")):
            word = chance.choice([*WORDS[:20], *NASTY, *map(str, self._ids)])
            url = url.replace("{}", quote(word, safe="", errors="replace")[:3000] or "x", 1)
        fields = {chance.choice(FIELDS): chance.choice([*WORDS, *NASTY]) for _ in range(3)}
        form = urlencode(fields, errors="replace")
        if chance.random() < 0.5:
            response = stranger.raw("GET", f"{url}?{form[:3000]}")
        else:
            response = stranger.raw("POST", url, form.encode(), Content_Type=FORM_OF_A_PAGE)
        assert response.status < 500, (url, fields)

    def _address(self, route: Route) -> str:
        path = route.path.replace(":path}", "}")
        for name, kind in route.contract.path_types.items():
            if kind is int and self._chance.random() < 0.9:
                value = str(self._chance.choice(self._ids))
            else:
                value = self._chance.choice([*WORDS[:20], *NASTY])
            path = path.replace("{" + name + "}", quote(value or "x", safe="")[:3000])
        return path

    def _parameters(self, route: Route) -> dict[str, Any]:
        path = "/api/v1" + route.path.replace(":path}", "}")
        described = self._document["paths"][path][route.method.lower()]
        found = {
            each["name"]: each.get("schema") or each["content"]["application/json"]["schema"]
            for each in described["parameters"]
            if each["in"] == "query"
        }
        for media in described.get("requestBody", {}).get("content", {}).values():
            found |= media["schema"].get("properties", {})
        found.pop(route.contract.files_argument or "", None)
        return found

    def _value(self, schema: dict[str, Any]) -> Any:
        """Mostly valid values, sometimes invalid ones."""
        dice = self._chance.random()
        if dice < 0.1:
            return self._chance.choice(NASTY)
        if dice < 0.2:
            return self._anything(3)
        return self._fitting(schema, 4)

    def _fitting(self, schema: dict[str, Any], depth: int) -> Any:
        chance = self._chance
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return self._fitting(self._document["components"]["schemas"][name], depth)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._fitting(chance.choice(schema[several]), depth)
        if "enum" in schema:
            return chance.choice(schema["enum"])
        match schema.get("type"):
            case "boolean":
                return chance.random() < 0.5
            case "integer":
                return chance.choice([*self._ids, 0, 1, 2, 50, 5000])
            case "string":
                return chance.choice(WORDS)
            case "array" if depth:
                items = schema.get("items") or {}
                return [self._fitting(items, depth - 1) for _ in range(chance.randrange(3))]
            case "object" if depth:
                inside = schema.get("properties") or {}
                return {
                    name: self._fitting(each, depth - 1)
                    for name, each in inside.items()
                    if chance.random() < 0.7
                }
        return self._narrow() if depth and chance.random() < 0.5 else self._anything(2)

    def _narrow(self) -> list[dict[str, Any]]:
        chance = self._chance
        return [
            {
                "operator": chance.choice(OPERATORS),
                "operand": chance.choice(
                    [*WORDS[:12], *self._ids, self._ids[:2], "unread", "link"]
                ),
                "negated": chance.random() < 0.3,
            }
            for _ in range(chance.randrange(1, 3))
        ]

    def _anything(self, depth: int) -> Any:
        chance = self._chance
        simple = [None, True, -1, 0, 2**63, 1e308, chance.choice(WORDS), chance.choice(self._ids)]
        if depth == 0 or chance.random() < 0.5:
            return chance.choice(simple)
        if chance.random() < 0.5:
            return [self._anything(depth - 1) for _ in range(chance.randrange(4))]
        names = ["name", "operator", "operand", "id", "direct_members", "new", "old", "x"]
        return {chance.choice(names): self._anything(depth - 1) for _ in range(chance.randrange(4))}
