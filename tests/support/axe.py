"""Accessibility problems that axe finds in an open page."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

COLOURS, PLACES = "color-contrast", "target-size"  # rules that depend on the theme, and are slow


def violations(
    page: Page,
    where: str,
    *,
    inside: str | None = None,
    closely: bool = True,
    colours: bool = True,
) -> list[str]:
    """Thorough: all rules in the light theme, those that may differ in the dark theme and the other
    direction.

    Otherwise only rules that hold in every theme, such as names and roles; that takes a tenth of
    the time. Without `colours` all other rules, in one theme and direction.
    """
    if not (closely and colours):
        rules = {COLOURS: {"enabled": False}, PLACES: {"enabled": closely}}
        return _violations(page, where, inside, rules=rules)
    found = _violations(page, where, inside)
    own = page.evaluate("document.documentElement.dir || 'ltr'")
    other = "ltr" if own == "rtl" else "rtl"
    _turn(page, "dark", other)
    found += _violations(page, f"{where}, dark, {other}", inside, runOnly=[COLOURS, PLACES])
    _turn(page, "light", own)
    return found


def _violations(page: Page, where: str, inside: str | None, **options: Any) -> list[str]:
    """One line per problem. The script is injected once per document.

    `preload` reads all style sheets again, for two rules that no page of ours concerns: locked
    orientation and media that play by themselves.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options |= {"resultTypes": ["violations"], "elementRef": False, "preload": False}
    found = page.evaluate(
        "([inside, options]) => axe.run(inside ?? document, options)", [inside, options]
    )
    return [
        f"{where}: {each['id']}, {each['help']}: {node['html'][:160]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def _turn(page: Page, scheme: Literal["light", "dark"], direction: str) -> None:
    """Colours may take a moment to change, and an invisible browser may never finish a
    transition."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate(
        "direction => { document.documentElement.dir = direction; document.getAnimations()"
        ".filter((each) => each instanceof CSSTransition).forEach((each) => each.finish()); }",
        direction,
    )
