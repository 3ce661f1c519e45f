"""Backups: a consistent copy of all data, which can be restored into either database."""
