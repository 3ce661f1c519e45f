"""Sending, finding, changing and reading messages."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.api.messages import (
        edits,
        flags,
        history,
        reactions,
        reports,
        send,
        typing,
        video_calls,
        widgets,
    )
else:
    __getattr__ = lazy_submodules(__name__)
