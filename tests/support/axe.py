"""What axe finds wrong in a page that is open."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

BY_NIGHT, FROM_THE_RIGHT = ["color-contrast"], ["target-size"]  # what can be different there


def violations(
    page: Page, where: str, *, inside: str | None = None, rules: list[str] | None = None
) -> list[str]:
    """One line for each. The script is put into a document once, however often it is asked."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options: dict[str, Any] = {"resultTypes": ["violations"], "elementRef": False}
    if rules:
        options["runOnly"] = rules
    told = page.evaluate(
        "([inside, options]) => axe.run(inside ?? document, options)", [inside, options]
    )
    return [
        f"{where}: {each['id']}, {each['help']}: {node['html'][:160]}"
        for each in told["violations"]
        for node in each["nodes"]
    ]


def violations_in_every_look(page: Page, where: str, *, inside: str | None = None) -> list[str]:
    """By day with all rules; by night and from the right what can be different there."""
    found = violations(page, where, inside=inside)
    _turn(page, "dark")
    found += violations(page, f"{where}, dark", inside=inside, rules=BY_NIGHT)
    _turn(page, "light")
    page.evaluate("document.documentElement.dir = 'rtl'")
    found += violations(page, f"{where}, rtl", inside=inside, rules=FROM_THE_RIGHT)
    page.evaluate("document.documentElement.dir = 'ltr'")
    return found


def _turn(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Colours may take a moment to change, and a browser that nobody sees may never end it."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate(
        "document.getAnimations().filter((each) => each instanceof CSSTransition)"
        ".forEach((each) => each.finish())"
    )
