"""Search: words, queries and highlighting."""

from tertulia.domain.search import highlight, query, signature, words
