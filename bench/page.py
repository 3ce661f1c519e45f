"""`make bench-page`: time to first messages, typing latency, CPU per message, memory of the page.

A phone with a four times slower CPU on a line of 1.6 Mbit/s with 150 ms opens the page of an
organization of 500 users. Times need a quiet machine. A value over its budget is marked and fails
the command.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

from bench.process import Process, free_port

PEOPLE, CHANNELS, MESSAGES = 500, 40, 15_000
PASSWORD = "soup for everybody"
RATE = 50  # messages per second while a user types
KEYS = 120
SAMPLES = 20  # messages whose CPU time is measured
MAX_RATIO_OF_VIEWS = 1.5  # of a message while a home view is open to one while a topic is open
SAMPLE_SECONDS = 1.5  # until everything that a message causes is done
FEED = 200  # messages in the open topic
SCROLLED = 10_000  # messages that a user scrolls back through
SETTLE_SECONDS = 800  # milliseconds
PHONE: Any = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 1e5}

# Records when thirty messages are in the document and painted.
FIRST_THIRTY = """
const look = setInterval(() => {
  if (document.querySelectorAll("article").length < 30) return;
  clearInterval(look);
  requestAnimationFrame(() => { window.read = performance.now(); });
}, 5);
"""
# From the key to the frame that shows it.
DELAYS = """
() => {
  window.delays = [];
  document.addEventListener("input", (event) => requestAnimationFrame(() => {
    window.delays.push(performance.now() - event.timeStamp);
  }), true);
}
"""


# Scrolls back through the open list, one screen after the other, until it has this many messages.
GO_BACK = """
async (wanted) => {
  const scroller = document.querySelector(".main > .scroll");
  const seen = new Set();
  for (let step = 0; seen.size < wanted && step < 3000; step++) {
    for (const row of document.querySelectorAll("[role=feed] article")) seen.add(row.dataset.id);
    scroller.scrollTop = 0;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return seen.size;
}
"""


@dataclass(frozen=True)
class Result:
    name: str
    value: float
    unit: str
    budget: float

    @property
    def is_within_budget(self) -> bool:
        return self.value <= self.budget

    def __str__(self) -> str:
        verdict = "" if self.is_within_budget else "   over"
        return f"{self.name:34}{self.value:8.1f} {self.unit:5}  budget {self.budget:7.1f}{verdict}"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        program = [str(Path(sys.executable).with_name("tertulia"))]
        size = {"--people": PEOPLE, "--channels": CHANNELS, "--messages": MESSAGES}
        wanted = [str(part) for flag in size.items() for part in flag]
        generator = [sys.executable, "-m", "tools.generate", *wanted]
        subprocess.run([*generator, "--data", str(data)], check=True)
        person, other = json.loads((data / "people.json").read_text(encoding="utf-8"))[:2]
        command = [*program, "user", "password", person["email"], "--data", str(data)]
        subprocess.run(command, input=f"{PASSWORD}\n", text=True, check=True, capture_output=True)
        port = free_port()
        serve = [*program, "serve", "--data", str(data), "--port", str(port), "--rate-limit", "off"]
        server = Process(serve, port, data / "log")
        server.wait_for_first_answer("/api/v1/server_settings")
        is_within_budget = True
        try:
            for result in _measure(server, f"http://127.0.0.1:{port}", person, other):
                print(result, flush=True)
                is_within_budget &= result.is_within_budget
        finally:
            server.stop()
    return 0 if is_within_budget else 1


def _measure(
    server: Process, address: str, person: dict[str, Any], other: dict[str, Any]
) -> Iterator[Result]:
    yield Result("the page in the idle server", _server_memory(server, address), "kB", 5_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"),
            args=["--no-sandbox"],
        )
        phone = browser.new_context(**PHONE)
        _log_in(phone, address, person)
        session = phone.storage_state()
        firsts = [_first_visit(browser, address, session) for _ in range(5)]
        yield Result("30 messages, first visit", statistics.median(firsts), "ms", 1500)
        laters = [_visit(phone, address) for _ in range(6)][1:]
        yield Result("30 messages, later visits", statistics.median(laters), "ms", 800)
        desk = browser.new_context(viewport={"width": 1280, "height": 800})
        _log_in(desk, address, person)
        delays = sorted(_type(desk, address, person))
        late = delays[int(0.95 * len(delays))]
        yield Result(f"a key shown, {RATE} messages/s, 95 %", late, "ms", 50)
        yield from _message_costs(desk, address, person, other)
        yield from _after_scrolling(desk, address)
        browser.close()


def _server_memory(server: Process, address: str) -> float:
    """Additional memory of the server after it has served the page's files and logins, in kB."""
    _fetch(f"{address}/api/v1/server_settings")
    before = _settled_memory(server)
    worker = _fetch(f"{address}/sw.js").decode()
    for path in [*json.loads(worker.partition("FILES=")[2].partition(";")[0]), "/login/"]:
        _fetch(address + path)
    return (_settled_memory(server) - before) / 1000


def _settled_memory(server: Process) -> int:
    """In bytes, when nothing from the start is running any more."""
    last, now, worked = 0, server.memory()[1], server.cpu_seconds()
    while abs(now - last) > 100_000 or server.cpu_seconds() - worked > 0.15:
        worked = server.cpu_seconds()
        time.sleep(3)
        last, now = now, server.memory()[1]
    return now


def _fetch(address: str) -> bytes:
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as answer:
        return bytes(answer.read())


def _after_scrolling(context: BrowserContext, address: str) -> list[Result]:
    """Rows, nodes and memory after scrolling back far."""
    page = context.new_page()
    page.goto(f"{address}/#narrow/channels/public")
    page.wait_for_selector("body[data-ready]")
    seen = page.evaluate(GO_BACK, SCROLLED)
    if seen < SCROLLED:
        raise RuntimeError(f"only {seen} messages came into view")
    rows = page.locator("[role=feed] article").count()
    elements = page.locator("*").count()
    memory = _memory(context, page)
    page.close()
    return [
        Result(f"rows after {SCROLLED:,} messages", rows, "", 300),
        Result("elements in the document", elements, "", 4_000),
        Result("memory of the page", memory / 1e6, "MB", 30),
    ]


def _message_costs(
    context: BrowserContext, address: str, person: dict[str, Any], other: dict[str, Any]
) -> Iterator[Result]:
    """CPU time of the page's main thread for one message of another user.

    It includes all that follows: the row, the counts, marking it as read. Another tab polls for it.
    """
    names = [{"name": each["name"]} for each in _ask(address, other, "GET", "/streams")["streams"]]
    for each in (person, other):
        _ask(address, each, "POST", "/users/me/subscriptions", subscriptions=json.dumps(names))
    here, *elsewhere = _ask(address, other, "GET", "/users/me/subscriptions")["subscriptions"]
    for number in range(FEED):
        _ask(address, (person, other)[number % 2], "POST", "/messages", **_message(here, number))
    page = context.new_page()
    tools = context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    topic = f"#narrow/channel/{here['stream_id']}-x/topic/typing"

    def cost(view: str, channels: list[Any]) -> float:
        page.goto(f"{address}/{view}")
        page.wait_for_selector("body[data-ready]")
        page.keyboard.press("End")
        costs = []
        for number in range(SAMPLES + 1):
            before = _metric(tools, "TaskDuration")
            message = _message(channels[number % len(channels)], number)
            _ask(address, other, "POST", "/messages", **message)
            time.sleep(SAMPLE_SECONDS)
            costs.append(1000 * (_metric(tools, "TaskDuration") - before))
        return statistics.median(costs[1:])  # the first one also draws the view

    away = cost(topic, elsewhere)
    yield Result("CPU of a message elsewhere", away, "ms", 3)
    yield Result("CPU of a message in the open topic", cost(topic, [here]), "ms", 10)
    for view in ("inbox", "recent"):
        limit = MAX_RATIO_OF_VIEWS * away
        yield Result(f"CPU of a message, {view} open", cost(f"#{view}", elsewhere), "ms", limit)
    page.close()


def _memory(context: BrowserContext, page: Page) -> float:
    tools = context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    tools.send("Performance.enable")
    return _metric(tools, "JSHeapUsedSize")


def _metric(tools: CDPSession, name: str) -> float:
    metrics = tools.send("Performance.getMetrics")["metrics"]
    (value,) = (each["value"] for each in metrics if each["name"] == name)
    return float(value)


def _log_in(context: BrowserContext, address: str, person: dict[str, Any]) -> None:
    page = context.new_page()
    page.goto(f"{address}/login/")
    page.get_by_label("Email").fill(person["email"])
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector("body[data-ready]")
    page.close()


def _first_visit(browser: Browser, address: str, session: Any) -> float:
    """With an empty cache, except for the login."""
    phone = browser.new_context(**PHONE, storage_state=session)
    took = _visit(phone, address)
    phone.close()
    return took


def _visit(phone: BrowserContext, address: str) -> float:
    page = phone.new_page()
    page.add_init_script(FIRST_THIRTY)
    page.wait_for_timeout(SETTLE_SECONDS)  # opening a tab takes a moment
    tools = phone.new_cdp_session(page)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", NETWORK)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(f"{address}/#feed", wait_until="commit")
    page.wait_for_selector("body[data-ready]", timeout=60_000)
    page.wait_for_timeout(1500)
    took: float = page.evaluate("window.read")
    page.close()
    return took


def _type(context: BrowserContext, address: str, person: dict[str, Any]) -> list[float]:
    page = context.new_page()
    channel = _ask(address, person, "GET", "/users/me/subscriptions")["subscriptions"][0]
    here = f"#narrow/channel/{channel['stream_id']}-x/topic/typing"
    _ask(address, person, "POST", "/messages", **_message(channel, 0))
    page.goto(f"{address}/{here}")
    page.wait_for_selector("body[data-ready]")
    page.evaluate(DELAYS)
    is_over = threading.Event()
    talking = threading.Thread(target=_send_messages, args=(address, person, channel, is_over))
    talking.start()
    box = page.get_by_role("textbox", name="Message to")
    box.press_sequentially("soup " * (KEYS // 5), delay=60, timeout=300_000)
    is_over.set()
    talking.join()
    delays: list[float] = page.evaluate("window.delays")
    return delays


def _send_messages(
    address: str, person: dict[str, Any], channel: Any, is_over: threading.Event
) -> None:
    begun, number = time.monotonic(), 0
    while not is_over.is_set():
        number += 1
        _ask(address, person, "POST", "/messages", **_message(channel, number))
        time.sleep(max(0.0, begun + number / RATE - time.monotonic()))


def _message(channel: Any, number: int) -> dict[str, Any]:
    words = f"message **{number}** with `some` words in it"
    return {"type": "channel", "to": channel["stream_id"], "topic": "typing", "content": words}


def _ask(address: str, person: dict[str, Any], method: str, path: str, **params: Any) -> Any:
    login = b64encode(f"{person['email']}:{person['api_key']}".encode()).decode()
    request = urllib.request.Request(
        f"{address}/api/v1{path}",
        data=urllib.parse.urlencode(params).encode() if params else None,
        headers={"Authorization": f"Basic {login}"},
        method=method,
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
