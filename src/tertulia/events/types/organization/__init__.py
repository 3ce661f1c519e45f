"""Event types of organization settings."""
