"""Message markup: text in, HTML out, no side effects.

    wanted = scan(source)                       # names that the text may refer to
    found = Resolved.of(users=..., groups=...)  # the caller looks them up
    rendered = render(source, found, settings)

The same source, names and settings always give the same HTML. Store `VERSION` with it: HTML of
another version can be rendered again. Every step is linear in the length of the text; see
`inline.py`. Written here because the HTML must be byte for byte what Zulip's server writes, and no
library is both compatible and linear.
"""

from tertulia.markdown.model import (
    LinkedChannel,
    LinkPattern,
    MentionedGroup,
    MentionedUser,
    References,
    Rendered,
    Resolved,
    Settings,
    Upload,
)
from tertulia.markdown.rendering import (
    VERSION,
    render,
    render_description,
    render_text,
    render_topic_links,
)
from tertulia.markdown.scanner import scan

__all__ = [
    "VERSION",
    "LinkPattern",
    "LinkedChannel",
    "MentionedGroup",
    "MentionedUser",
    "References",
    "Rendered",
    "Resolved",
    "Settings",
    "Upload",
    "render",
    "render_description",
    "render_text",
    "render_topic_links",
    "scan",
]
