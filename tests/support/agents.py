"""Agents: programs that use the official client of the Model Context Protocol."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.support.people import Person

T = TypeVar("T")


@dataclass(frozen=True)
class ToolResult:
    """What a tool answered."""

    is_error: bool
    text: str
    data: Any

    def succeeds(self) -> Any:
        assert not self.is_error, self.text
        return self.data

    def fails(self) -> str:
        assert self.is_error, self.text
        return self.text


@dataclass(frozen=True)
class AgentProgram:
    """A program that connects for each call, with these headers."""

    url: str
    headers: dict[str, str]
    mode: str = "auto"

    @classmethod
    def of_bot(cls, bot: Person, *, bearer: bool = False, mode: str = "auto") -> "AgentProgram":
        headers = dict(bot.headers)
        if bearer:
            headers["Authorization"] = f"Bearer {bot.key}"
        return cls(f"http://127.0.0.1:{bot.server.port}/mcp", headers, mode)

    def run(self, work: Callable[[Client], Awaitable[T]]) -> T:
        return asyncio.run(self.work(work))

    async def work(self, work: Callable[[Client], Awaitable[T]]) -> T:
        # There is no TLS here; to verify it, a client would read all certificates of the system.
        async with httpx2.AsyncClient(headers=self.headers, timeout=60, verify=False) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=self.mode) as client:
                return await work(client)

    def call(self, tool: str, /, **arguments: Any) -> ToolResult:
        async def work(client: Client) -> ToolResult:
            return await called(client, tool, arguments)

        return self.run(work)


async def called(client: Client, tool: str, arguments: dict[str, Any]) -> ToolResult:
    found = await client.call_tool(tool, arguments)
    text = "\n".join(each.text for each in found.content if each.type == "text")
    return ToolResult(bool(found.is_error), text, found.structured_content)


Work = Coroutine[Any, Any, T]
