"""The engine of Safari, as WebKitGTK, in a virtual display."""

import glob
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from tests.support.browser import Browser as Cookies
from tests.support.people import Person

TIMEOUT_SECONDS = 60
# The viewer's own buttons are wider than a phone.
NARROW = "* { min-width: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px; }"

DRIVER, DISPLAY = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
VIEWERS = glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")

FIND_VISIBLE = """return [...document.querySelectorAll(arguments[0])].find((each) =>
  each.checkVisibility({visibilityProperty: true}) && each.innerText.includes(arguments[1]));"""


@dataclass
class WebKit:
    driver: webdriver.WebKitGTK

    def measure(self, function: str, given: dict[str, Any]) -> Any:
        """Call an asynchronous JavaScript function and wait for its result."""
        script = f"const [given, done] = arguments; ({function})(given).then(done, done);"
        return self.driver.execute_async_script(script, given)

    def sees(self, selector: str, text: str) -> WebElement:
        """Wait until a visible element contains a text, and return it."""
        found: WebElement = self._until(
            lambda: self.driver.execute_script(FIND_VISIBLE, selector, text),
            f"no {selector} shows {text!r}",
        )
        return found

    def sees_no(self, selector: str) -> None:
        self._until(
            lambda: not self.driver.find_elements(By.CSS_SELECTOR, selector), f"{selector} is there"
        )

    def has_value(self, selector: str, value: str) -> None:
        read = "return document.querySelector(arguments[0]).value"
        seen: list[str] = []

        def is_there() -> bool:
            seen[:] = [self.driver.execute_script(read, selector)]
            return seen == [value]

        self._until(is_there, seen)

    def resize(self, width: int, height: int) -> None:
        """Make the page, not the window, this large."""
        self.driver.set_window_size(width, height)
        around = height - self.driver.execute_script("return innerHeight")
        self.driver.set_window_size(width, height + around)
        read = "return innerWidth === arguments[0] && innerHeight === arguments[1]"
        self._until(lambda: self.driver.execute_script(read, width, height), "not this large")

    def rect(self, selector: str) -> dict[str, float]:
        found: dict[str, float] = self.sees(selector, "").rect
        return found

    def click(self, selector: str) -> None:
        self.sees(selector, "").click()

    def click_text(self, selector: str, text: str) -> None:
        self.sees(selector, text).click()

    def type(self, selector: str, text: str) -> None:
        self.sees(selector, "").send_keys(text)

    def press(self, *keys: str) -> None:
        """Press keys together in the element that has the focus."""
        codes = [getattr(Keys, key.upper()) if len(key) > 1 else key for key in keys]
        self.driver.switch_to.active_element.send_keys("".join(codes))

    def _until(self, work: Callable[[], Any], problem: object) -> Any:
        until = time.monotonic() + TIMEOUT_SECONDS
        while True:
            try:
                if found := work():
                    return found
            except StaleElementReferenceException:
                pass
            assert time.monotonic() < until, problem
            time.sleep(0.1)


@contextmanager
def running_webkit(
    person: Person, hash: str, size: tuple[int, int] = (620, 460)
) -> Iterator[WebKit]:
    """A window that shows a view; the server has one organization."""
    if not (DRIVER and DISPLAY and VIEWERS):
        pytest.skip(
            "no WebKitGTK with its driver and Xvfb is installed: Safari's engine is not tried"
        )
    with _display() as display, tempfile.TemporaryDirectory() as config:
        theme = Path(config) / "gtk-3.0" / "gtk.css"
        theme.parent.mkdir()
        theme.write_text(NARROW)
        options = Options()
        options.binary_location = VIEWERS[-1]
        options.add_argument("--automation")
        service = Service(
            DRIVER,
            env={
                **os.environ,
                "DISPLAY": display,
                "XDG_CONFIG_HOME": config,
                "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
            },
        )
        driver = webdriver.WebKitGTK(options=options, service=service)
        try:
            driver.set_window_size(*size)
            driver.set_script_timeout(10 * TIMEOUT_SECONDS)
            address = f"http://127.0.0.1:{person.server.port}"
            driver.get(f"{address}/static/icon.png")
            for name, value in Cookies.of(person).cookies.items():
                driver.add_cookie({"name": name, "value": value, "path": "/"})
            driver.get(f"{address}/{hash}")
            _wait_until_ready(driver)
            yield WebKit(driver)
        finally:
            driver.quit()


def _wait_until_ready(driver: webdriver.WebKitGTK) -> None:
    until = time.monotonic() + TIMEOUT_SECONDS
    while not driver.find_elements(By.CSS_SELECTOR, "body[data-ready]"):
        assert time.monotonic() < until, "the page was not ready in time"
        time.sleep(0.1)


@contextmanager
def _display() -> Iterator[str]:
    """A screen in memory; Xvfb itself chooses a free number."""
    assert DISPLAY is not None
    reading, writing = os.pipe()
    screen = ["-screen", "0", "1280x1000x24", "-nolisten", "tcp", "-displayfd", str(writing)]
    process = subprocess.Popen([DISPLAY, *screen], pass_fds=[writing], stderr=subprocess.DEVNULL)
    try:
        os.close(writing)
        with os.fdopen(reading) as number:
            yield f":{number.readline().strip()}"
    finally:
        process.terminate()
        process.wait()
