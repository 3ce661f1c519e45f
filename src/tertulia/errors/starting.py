"""What keeps a server or a command from its work."""


class CannotStart(Exception):
    """What keeps a server or a command from its work, in words for whoever runs it."""
