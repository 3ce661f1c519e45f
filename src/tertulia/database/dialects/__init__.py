"""The two databases, where they differ."""
