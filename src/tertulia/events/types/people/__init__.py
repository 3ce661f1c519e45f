"""Event types of users and bots."""
