"""Imports from other servers."""
