"""Saved snippets: texts that somebody uses again and again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Snippet:
    id: int
    title: str
    content: str
    created_at: float
