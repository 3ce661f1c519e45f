"""Channels."""
