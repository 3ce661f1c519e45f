"""The template engine of pages and documents. All values are escaped."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parent / "templates"
SCRIPT = Path(__file__).parent / "static" / "archive.js"
STATIC = Path(__file__).parents[1] / "web" / "static"  # the page's stylesheets and images


def environment(folders: Sequence[Path] = (TEMPLATES,)) -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,  # else every page asks for the times of its files
        trim_blocks=True,
        lstrip_blocks=True,
    )
