"""Personal data of users."""
