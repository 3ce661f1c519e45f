"""Organizations, and what they have configured."""
