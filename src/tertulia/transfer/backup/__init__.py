"""Backups: a copy of everything as of one moment, in a form that both databases can take in."""
