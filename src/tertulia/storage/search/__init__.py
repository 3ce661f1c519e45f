"""Full-text search: our own inverted index, the same on both databases."""

from tertulia.storage.search import (
    batch,
    budget,
    changes,
    execution,
    index,
    languages,
    phrase_filter,
    removal,
    segments,
    signatures,
    texts,
)
