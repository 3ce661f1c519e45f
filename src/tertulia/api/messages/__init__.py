"""Sending, finding, changing and reading messages."""
