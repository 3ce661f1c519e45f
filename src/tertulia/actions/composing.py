"""Composing: from the words somebody typed to a draft that can be sent.

Rendering happens here, before the transaction, because it may be slow; what it has to look up
comes from the directory. Endpoints and jobs both compose.
"""

import html
import re

from tertulia.domain.messages import Draft, checked_content, is_read_by_sender
from tertulia.events.directory import Organization

RENDER_VERSION = 0


async def compose(
    org: Organization, content: str, client: str, read_by_sender: bool | None
) -> Draft:
    content = checked_content(content)
    return Draft(
        content=content,
        rendered=paragraphs(content),
        render_version=RENDER_VERSION,
        client=client,
        read_by_sender=is_read_by_sender(read_by_sender, client),
    )


def paragraphs(text: str) -> str:
    """Plain paragraphs with everything escaped."""
    blocks = [block.strip("\n") for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    return "\n".join(
        "<p>" + html.escape(block, quote=False).replace("\n", "<br>\n") + "</p>" for block in blocks
    )
