"""Channels, access to them, their topics and folders."""
