"""What administrators manage."""
