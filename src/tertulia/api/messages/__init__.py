"""Sending, finding, changing and reading messages."""

from tertulia.api.messages import (
    answers,
    catch_up,
    edits,
    flags,
    history,
    reactions,
    reports,
    send,
    topic_summary,
    typing,
    video_calls,
    widgets,
)
