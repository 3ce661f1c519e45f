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
    needs_owner: bool = False  # from this picture on, the visitor of the demo is an owner

    @property
    def is_phone(self) -> bool:
        return self.size is PHONE


PICTURES = (
    Picture("inbox-light", "#inbox"),
    Picture("phone-inbox", "#inbox", PHONE),
    Picture("topic-light", TOPIC),
    Picture("topic-dark", TOPIC, scheme="dark"),
    Picture("recent-dark", "#recent", MIDDLE, "dark"),
    Picture("channel-light", "#topics/channel/1-general", MIDDLE),
    Picture("phone-topic", TOPIC, PHONE, "dark"),
    Picture("catch-up-light", "#inbox", key="o"),
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
            said = next(line for line in process.stdout if "listens at" in line)
            found = re.search(r"http://\S+", said)
            assert found is not None
            yield found.group()
        finally:
            process.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"), sys.argv[2:])
