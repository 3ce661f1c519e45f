"""Event types of messages."""
