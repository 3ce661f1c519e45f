"""`make bench-page`: how soon the web page can be read, and whether typing in it is smooth.

A phone that computes four times slower on a line of 1.6 Mbit/s with 150 ms opens the page of an
organization of 500 people. Times depend on how quiet the machine is: run it on one that is.
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
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, sync_playwright

from bench.process import Process, free_port

PEOPLE, CHANNELS, MESSAGES = 500, 40, 5_000
PASSWORD = "soup for everybody"
RATE = 50  # messages a second while somebody types
KEYS = 120
LINE = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 1e5}

# Notes when thirty messages are in the document and painted.
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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        program = [str(Path(sys.executable).with_name("tertulia"))]
        size = {"--people": PEOPLE, "--channels": CHANNELS, "--messages": MESSAGES}
        wanted = [str(part) for flag in size.items() for part in flag]
        subprocess.run([*program, "generate", *wanted, "--data", str(data)], check=True)
        person = json.loads((data / "people.json").read_text(encoding="utf-8"))[0]
        command = [*program, "user", "password", person["email"], "--data", str(data)]
        subprocess.run(command, input=f"{PASSWORD}\n", text=True, check=True, capture_output=True)
        port = free_port()
        serve = [*program, "serve", "--data", str(data), "--port", str(port), "--rate-limit", "off"]
        server = Process(serve, port, data / "log")
        server.wait_for_first_answer("/api/v1/server_settings")
        try:
            _measure(f"http://127.0.0.1:{port}", person)
        finally:
            server.stop()


def _measure(address: str, person: dict[str, Any]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        phone = browser.new_context(
            viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
        )
        _log_in(phone, address, person)
        firsts = [_visit(phone, address, is_first=True) for _ in range(3)]
        laters = [_visit(phone, address, is_first=False) for _ in range(4)][1:]
        print(f"30 messages, first visit   {statistics.median(firsts):6.0f} ms   budget 1500")
        print(f"30 messages, later visits  {statistics.median(laters):6.0f} ms   budget  800")
        desk = browser.new_context(viewport={"width": 1280, "height": 800})
        _log_in(desk, address, person)
        delays = sorted(_type(desk, address, person))
        late = delays[int(0.95 * len(delays))]
        print(f"a key shown, 95 of 100     {late:6.0f} ms   budget   50   ({RATE} messages/s)")
        browser.close()


def _log_in(context: BrowserContext, address: str, person: dict[str, Any]) -> None:
    page = context.new_page()
    page.goto(f"{address}/login/")
    page.get_by_label("Email").fill(person["email"])
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector("body[data-ready]")
    page.close()


def _visit(context: BrowserContext, address: str, *, is_first: bool) -> float:
    page = context.new_page()
    page.add_init_script(FIRST_THIRTY)
    if is_first:
        page.goto(f"{address}/static/icon.png")
        page.evaluate(
            "async () => { for (const each of await navigator.serviceWorker.getRegistrations())"
            " await each.unregister(); for (const key of await caches.keys()) caches.delete(key); }"
        )
    tools = context.new_cdp_session(page)
    tools.send("Network.enable")
    if is_first:
        tools.send("Network.clearBrowserCache")
    tools.send("Network.emulateNetworkConditions", LINE)
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
    talking = threading.Thread(target=_talk, args=(address, person, channel, is_over))
    talking.start()
    box = page.get_by_role("textbox", name="Message to")
    box.press_sequentially("soup " * (KEYS // 5), delay=60, timeout=300_000)
    is_over.set()
    talking.join()
    delays: list[float] = page.evaluate("window.delays")
    return delays


def _talk(address: str, person: dict[str, Any], channel: Any, is_over: threading.Event) -> None:
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
    main()
