"""An agent that answers questions, as a program of its own that tests kill.

It uses the standard library only, so that it starts in a moment. Everything that the server tells
it is appended to a file.
"""

import http.client
import json
import os
import sys
import time
from typing import Any


def main(port: str, token: str, log_path: str) -> None:
    log = os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    agent = Agent(int(port), token, log)
    after = None
    while True:
        params = {"timeout_seconds": 5, "limit": 5}
        found = agent.insists(
            "wait_for_messages", params | ({} if after is None else {"after": after})
        )
        for message in found["messages"]:
            if message["text"].startswith("question"):
                response = f"answer to {message['id']}"
                agent.insists(
                    "reply", {"message_id": message["id"], "text": response, "key": response}
                )
        after = found["next_after"]


class Agent:
    def __init__(self, port: int, token: str, log: int) -> None:
        self._port, self._log = port, log
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def insists(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Repeat the call until there is an answer."""
        while True:
            try:
                return self._call(tool, arguments)
            except (OSError, http.client.HTTPException, KeyError, ValueError):
                time.sleep(0.02)

    def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            connection.request("POST", "/mcp", json.dumps(body), self._headers)
            response = connection.getresponse().read()
        finally:
            connection.close()
        os.write(self._log, response + b"\n")
        result = json.loads(response)["result"]
        if result["isError"]:
            raise ValueError(result)
        found: dict[str, Any] = result["structuredContent"]
        return found


if __name__ == "__main__":
    main(*sys.argv[1:])
