"""Event types, by subject. Each is a class that defines everything about its events."""
