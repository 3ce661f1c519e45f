"""User groups and permissions."""
