"""Why an integration cannot make anything of a call; the catalogue says it to the sender."""


class UnknownEvent(Exception):
    """The sender tells of something that we have no words for: the event."""


class UnexpectedPayload(Exception):
    """Something is not there that the sender says there would be: the field."""


class NoSuchHeader(Exception):
    """The header."""


class WebhookRejected(Exception):
    """Anything else, in words for the sender."""
