"""Uploads, and access to uploaded files."""
