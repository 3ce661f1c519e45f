"""The page that a browser is shown, and the logo on it."""

import html
from importlib import resources

LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img"
 aria-label="Tertulia"><rect width="64" height="64" rx="14" fill="#2f6f62"/><g fill="#fff">
<circle cx="22" cy="27" r="9"/><circle cx="42" cy="27" r="9" opacity=".8"/>
<circle cx="32" cy="43" r="9" opacity=".6"/></g></svg>
"""


def home(name: str, site: str, version: str) -> str:
    """What somebody sees who opens the server's address in a browser."""
    page = (resources.files("tertulia.web") / "home.html").read_text(encoding="utf-8")
    return page.format(name=html.escape(name), site=html.escape(site), version=html.escape(version))
