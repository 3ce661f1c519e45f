"""Saved snippets: texts that a user reuses."""

import msgspec


class Snippet(msgspec.Struct, frozen=True):
    id: int
    title: str
    content: str
    created_at: float
