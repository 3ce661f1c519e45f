"""Tertulia, a team chat server."""

__version__ = "0.3.0"
