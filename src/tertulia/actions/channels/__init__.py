"""What people do to channels."""
