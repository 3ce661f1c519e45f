"""Uploaded files, and the messages that link to them."""
