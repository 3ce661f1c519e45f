"""What people do to messages."""
