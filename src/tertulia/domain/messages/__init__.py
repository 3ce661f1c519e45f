"""Messages: their content, links, narrows and notices."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.domain.messages import (
        diffs,
        external_pictures,
        links,
        message,
        moves,
        narrow,
        notices,
        notification_text,
        plain_text,
        quotations,
        reports,
        video_calls,
        welcome_message,
        widgets,
    )
else:
    __getattr__ = lazy_submodules(__name__)
