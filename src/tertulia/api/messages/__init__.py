"""Sending, finding, changing and reading messages."""

from tertulia.api.messages import (
    catch_up,
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
