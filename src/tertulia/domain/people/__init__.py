"""Users and bots, their logins and profiles."""
