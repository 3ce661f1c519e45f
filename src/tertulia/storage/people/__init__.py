"""Accounts and what belongs to a person."""
