"""HTML escaping. Everything that a user typed passes through one of these functions.

Text and attribute values keep everything that looks like an entity (`&copy;`, `&#65;`), known or
not; code does not.
"""

import re

_BARE_AMPERSAND = re.compile(r"&(?!(?:#[0-9]+|#[xX][0-9a-fA-F]+|[0-9a-zA-Z]+);)")


def text(raw: str) -> str:
    if "&" in raw:
        raw = _BARE_AMPERSAND.sub("&amp;", raw)
    if "<" in raw:
        raw = raw.replace("<", "&lt;")
    if ">" in raw:
        raw = raw.replace(">", "&gt;")
    return raw


def attribute(raw: str) -> str:
    return text(raw).replace('"', "&quot;")


def code(raw: str) -> str:
    """Escape code, including entities in it."""
    return raw.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def tag(name: str, **attributes: str | None) -> str:
    """An opening tag. Attributes are sorted; `data_user_id` becomes `data-user-id`.

    An attribute with the value None is left out; one whose value is its name is written without a
    value.
    """
    parts = [name]
    for key in sorted(attributes):
        value = attributes[key]
        if value is None:
            continue
        label = key.rstrip("_").replace("_", "-")
        parts.append(label if value == label else f'{label}="{attribute(value)}"')
    return f"<{' '.join(parts)}>"
