"""Full-text search: our own inverted index, the same on both databases."""
