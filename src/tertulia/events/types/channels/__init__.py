"""Event types of channels and subscriptions."""
