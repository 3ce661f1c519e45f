"""Full-text search: our own inverted index, the same on both databases."""

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
