"""Organizations, and what their administrators configure."""
