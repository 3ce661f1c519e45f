"""Readers for exports, one module per kind of server."""
