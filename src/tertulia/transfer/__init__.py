"""Import, export and backup of organizations."""
