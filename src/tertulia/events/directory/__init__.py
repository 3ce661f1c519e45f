"""The in-memory state of organizations, and the follower that keeps it at the head of the log."""
