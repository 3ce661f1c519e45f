"""What people do to an organization."""
