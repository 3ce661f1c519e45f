"""Channels, topics and subscriptions."""
