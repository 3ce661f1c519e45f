"""Screenshots of the page for the documentation, from a demo that is started for them.

    .venv/bin/python scripts/pictures.py [FOLDER] [NAME …]

Needs Chromium, and fonts with emoji (on Debian: fonts-noto-color-emoji, fonts-noto-core).
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tertulia.sample_data.demo.people import GUEST

WIDE = {"width": 1440, "height": 900}
MIDDLE = {"width": 1024, "height": 768}
PHONE = {"width": 390, "height": 844}
TOPIC = "#narrow/channel/1-general/topic/Opening.20night"
START_SECONDS = 60
_PROGRAM = str(Path(sys.executable).with_name("tertulia"))


@dataclass(frozen=True)
class Picture:
    name: str
    address: str
    size: dict[str, int] = field(default_factory=lambda: WIDE)
    scheme: str = "light"
    key: str = ""  # is pressed before the picture is taken
    script: str = ""  # runs in the page before the picture is taken
    needs_owner: bool = False  # from this picture on, the visitor of the demo is an owner

    @property
    def is_phone(self) -> bool:
        return self.size is PHONE


# The visitor asks a bot of their own, which has written half of its answer.
ANSWER = """async () => {
  const name = "Assistant";
  const call = async (method, path, params, key = "") => {
    const headers = key ? { Authorization: `Basic ${btoa(key)}` } : {};
    const address = `${key ? "/api/v1" : "/json"}${path}`;
    const body = params && new URLSearchParams(params);
    return (await fetch(address, { method, headers, body })).json();
  };
  const bot = { full_name: name, short_name: name.toLowerCase(), bot_type: 1 };
  const { user_id, api_key } = await call("POST", "/bots", bot);
  const me = await call("GET", "/users/me");
  const { user } = await call("GET", `/users/${user_id}`);
  const place = { type: "channel", to: "general", topic: "Questions for Saturday" };
  const content = `@**${name}** what was said about the children’s ticket?`;
  await call("POST", "/messages", { ...place, content });
  const key = `${user.email}:${api_key}`;
  const status = { status_line: "Writing · read 3 of 5 topics" };
  const asked = { ...place, asked_by: me.user_id, ...status };
  const started = await call("POST", "/answers", asked, key);
  const text = "For the children’s ticket, two prices were named. Priya proposed 3 € because the "
    + "school pays half; Jonas wrote that the licence allows nothing under 4 €. The last message "
    + "is from Thursday, when Marta said she would";
  await call("PATCH", `/answers/${started.answer_token}`, { content: text }, key);
}"""
ANSWERED = "#narrow/channel/1-general/topic/Questions.20for.20Saturday"

PICTURES = (
    Picture("inbox-light", "#inbox"),
    Picture("phone-inbox", "#inbox", PHONE),
    Picture("catch-up-light", "#inbox", key="o"),  # before other pictures read the messages
    Picture("topic-light", TOPIC),
    Picture("topic-dark", TOPIC, scheme="dark"),
    Picture("recent-dark", "#recent", MIDDLE, "dark"),
    Picture("channel-light", "#topics/channel/1-general", MIDDLE),
    Picture("phone-topic", TOPIC, PHONE, "dark"),
    Picture("answer-light", ANSWERED, MIDDLE, script=ANSWER),
    Picture("public-topic", "public/1-general/Opening.20night/"),
    Picture("admin-settings", "#organization/organization-settings", needs_owner=True),
    Picture("admin-people", "#organization/users", needs_owner=True),
    Picture("admin-usage", "#organization/usage", needs_owner=True),
    Picture("admin-audit-log", "#organization/audit-log", needs_owner=True),
)


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        _demo(Path(data)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-headless-shell"),
            args=["--no-sandbox"],
        )
        is_owner = False
        for picture in PICTURES:
            if not names or picture.name in names:
                if picture.needs_owner and not is_owner:
                    command = [_PROGRAM, "user", "role", GUEST, "owner", "--data", data]
                    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                    is_owner = True
                options: dict[str, Any] = {
                    "viewport": picture.size,
                    "color_scheme": picture.scheme,
                    "is_mobile": picture.is_phone,
                    "has_touch": picture.is_phone,
                    "locale": "en-GB",
                }
                context = browser.new_context(**options)
                _take(context.new_page(), address, picture, folder / f"{picture.name}.png")
                context.close()
        browser.close()


def _take(page: Page, address: str, picture: Picture, path: Path) -> None:
    page.goto(f"{address}/login/")
    page.get_by_role("button", name="Look around").click()
    page.wait_for_selector("body[data-ready]")
    page.goto(f"{address}/{picture.address}")
    if picture.address.startswith("#"):
        page.wait_for_selector("body[data-ready]")
    if picture.script:
        page.evaluate(picture.script)
    if picture.key:
        page.keyboard.press(picture.key)
    page.wait_for_timeout(1500)
    with Image.open(io.BytesIO(page.screenshot())) as shot:
        small = shot.convert("P", palette=Image.Palette.ADAPTIVE, colors=255)
        small.save(path, "PNG", optimize=True)
    print(path, path.stat().st_size)


@contextmanager
def _demo(data: Path) -> Iterator[str]:
    command = [_PROGRAM, "serve", "--demo", "--port", "0", "--data", str(data)]
    command.append("--web-public-streams-enabled")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if "listens at" in line)
            found = re.search(r"http://\S+", line)
            assert found is not None
            yield found.group()
        finally:
            process.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"), sys.argv[2:])
