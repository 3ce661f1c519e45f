"""The only doors from text to HTML. Everything a user typed passes through one of these.

Text and attribute values keep what is already shaped like an entity (`&copy;`, `&#65;`), known or
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
    """Code is shown letter by letter, so an entity in it is shown too."""
    return raw.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def tag(name: str, **attributes: str | None) -> str:
    """An opening tag. Attributes are sorted; `data_user_id` is written `data-user-id`.

    One without a value is left out when it is None, and written bare when its value is its name.
    """
    parts = [name]
    for key in sorted(attributes):
        value = attributes[key]
        if value is None:
            continue
        label = key.rstrip("_").replace("_", "-")
        parts.append(label if value == label else f'{label}="{attribute(value)}"')
    return f"<{' '.join(parts)}>"
