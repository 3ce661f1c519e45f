"""Search: words, queries and highlighting."""
