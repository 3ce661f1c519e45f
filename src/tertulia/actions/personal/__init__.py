"""Personal settings and data of a user."""
