"""Sending, finding, changing and reading messages."""

from tertulia.api.messages import (
    answers,
    catch_up,
    edits,
    flags,
    history,
    reactions,
    send,
    widgets,
)
