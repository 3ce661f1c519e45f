"""Saved snippets: texts that somebody uses again and again."""

import msgspec


class Snippet(msgspec.Struct, frozen=True):
    id: int
    title: str
    content: str
    created_at: float
