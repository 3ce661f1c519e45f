"""Personal data and settings."""

from tertulia.errors import ClientError


class TypingDisabledForDirect(ClientError):
    message = "User has disabled typing notifications for direct messages"
