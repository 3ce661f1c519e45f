"""The search engine: an index of words of our own, the same on both databases."""

from tertulia.storage.search import (
    batch,
    changes,
    execution,
    index,
    phrase_filter,
    segments,
    signatures,
    texts,
)
