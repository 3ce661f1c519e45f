"""Personal data and settings."""

from tertulia.errors import ClientError


class SnippetNotFound(ClientError):
    status = 404
    message = "Saved snippet does not exist."


class ViewNotFound(ClientError):
    status = 404
    message = "Navigation view does not exist."


class TypingDisabledForDirect(ClientError):
    message = "User has disabled typing notifications for direct messages"
