"""What people do to user groups."""
