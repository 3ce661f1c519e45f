"""Event types of uploaded files."""
