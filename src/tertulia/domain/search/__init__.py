"""Search: words, queries and highlighting."""

from tertulia.domain.search import budget, highlight, languages, query, signature, words
