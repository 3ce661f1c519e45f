"""The yardsticks: a reply of the same HTTP server, and a durable commit, with nothing around them.

Run as a module, this is that server.
"""

import contextlib
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import uvicorn

from bench.process import Process, free_port

BODY = b'{"result":"success","msg":""}\n'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())]


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The least an application can do: read a form, and answer."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    parse_qsl(body)
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})


@contextlib.contextmanager
def server(folder: Path) -> Iterator[Process]:
    port = free_port()
    process = Process(
        [sys.executable, "-m", "bench.baseline", str(port)], port, folder / "bare.log"
    )
    try:
        yield process
    finally:
        process.stop()


def commits_per_second(folder: Path, seconds: float) -> float:
    """One row, one commit, one fsync, repeated."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE line (id INTEGER PRIMARY KEY, words TEXT)")
    started, count = time.perf_counter(), 0
    while time.perf_counter() < started + seconds:
        connection.execute("INSERT INTO line (words) VALUES ('all work and no play')")
        count += 1
    rate = count / (time.perf_counter() - started)
    connection.close()
    return rate


if __name__ == "__main__":
    uvicorn.run(
        app,
        port=int(sys.argv[1]),
        http="httptools",
        loop="uvloop",
        lifespan="off",
        access_log=False,
        log_config=None,
    )
