"""Accounts, the caller's and others'."""
