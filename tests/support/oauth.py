"""OAuth as a program and the browser of its user see it."""

import asyncio
import base64
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from tests.support.agents import AgentProgram, ToolResult, called
from tests.support.people import Chat, Person
from tests.support.waiting import TIMEOUT_SECONDS

PASSWORD = "correct horse battery"
BACK = "http://127.0.0.1:9999/back"
VERIFIER = "v" * 64
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
)


@contextmanager
def logged_in(chat: Chat, person: Person) -> Iterator[httpx2.Client]:
    """The browser of a person whose password is PASSWORD."""
    headers = {"Host": chat.host}
    origin = f"http://{chat.host}"
    url = f"http://127.0.0.1:{chat.server.port}"
    with httpx2.Client(
        base_url=url, headers=headers, timeout=TIMEOUT_SECONDS, verify=False
    ) as client:
        form = {"username": person.email, "password": PASSWORD}
        found = client.post("/login/", data=form, headers={"Origin": origin})
        assert found.status_code == 303, found.text
        client.headers["Cookie"] = "; ".join(
            each.split(";")[0] for each in found.headers.get_list("set-cookie")
        )
        client.headers["Origin"] = origin
        yield client


def registered(browser: httpx2.Client, **about: Any) -> str:
    body = {"redirect_uris": [BACK], "client_name": "Subtitle Helper", **about}
    found = browser.post("/oauth/register", json=body)
    assert found.status_code == 201, found.text
    client_id: str = found.json()["client_id"]
    return client_id


def question(client_id: str, **changes: str) -> dict[str, str]:
    return {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": BACK,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "state": "s",
        **changes,
    }


def allowed(
    browser: httpx2.Client, client_id: str, choice: dict[str, str], **changes: str
) -> dict[str, str]:
    """The code after consent."""
    form = {**question(client_id, **changes), "until": "month", "allow": "1", **choice}
    found = browser.post("/oauth/authorize", data=form)
    assert found.status_code == 303, found.text
    return query_of(found.headers["location"])


def query_of(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def exchanged(browser: httpx2.Client, client_id: str, code: str, **changes: str) -> httpx2.Response:
    form = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": BACK,
        "code_verifier": VERIFIER,
        **changes,
    }
    return browser.post("/oauth/token", data=form)


def refreshed(browser: httpx2.Client, client_id: str, token: str) -> httpx2.Response:
    form = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": token}
    return browser.post("/oauth/token", data=form)


def choice(chat: Chat, **channels: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, access in channels.items():
        number = chat.channel(name).id
        found |= {f"channel_{number}": "on", f"access_{number}": access}
    return found


def agent_of(chat: Chat, tokens: dict[str, str]) -> AgentProgram:
    headers = {"Host": chat.host, "Authorization": f"Bearer {tokens['access_token']}"}
    return AgentProgram(f"http://127.0.0.1:{chat.server.port}/mcp", headers)


# --- the SDK ---


class Loopback(httpx2.AsyncHTTPTransport):
    """Reaches every host at the loopback address."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(host="127.0.0.1")
        return await super().handle_async_request(request)


class Storage:
    tokens: Any = None
    info: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.info

    async def set_client_info(self, info: Any) -> None:
        self.info = info


def call_after_consent(
    chat: Chat,
    browser: httpx2.Client,
    picked: dict[str, str],
    tool: str,
    arguments: dict[str, Any],
    document: str | None = None,
) -> tuple[ToolResult, Storage]:
    """Call a tool without a token: the SDK finds its way by itself, the user consents.

    `document` is the URL of the program's client ID metadata document, if it has one.
    """
    url = f"http://{chat.host}:{chat.server.port}"
    led: dict[str, str] = {}

    async def lead(address: str) -> None:
        form = {**query_of(address), "until": "open", "allow": "1", **picked}
        headers = {"Host": f"{chat.host}:{chat.server.port}", "Origin": url}
        found = await asyncio.to_thread(
            browser.post, "/oauth/authorize", data=form, headers=headers
        )
        assert found.status_code == 303, found.text
        led.update(query_of(found.headers["location"]))

    async def returned() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=led["code"], state=led["state"], iss=led["iss"])

    about = {"redirect_uris": [BACK], "client_name": "Official"}
    metadata = OAuthClientMetadata.model_validate(about)
    storage = Storage()
    auth = OAuthClientProvider(
        f"{url}/mcp", metadata, storage, lead, returned, client_metadata_url=document
    )

    async def work() -> ToolResult:
        async with (
            httpx2.AsyncClient(auth=auth, timeout=60, transport=Loopback(verify=False)) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            return await called(client, tool, arguments)

    return asyncio.run(work()), storage
