"""What people do to accounts."""
