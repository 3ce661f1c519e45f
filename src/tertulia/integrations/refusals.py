"""Why an integration cannot make anything of a call; the catalogue says it to the sender."""


class UnknownEvent(Exception):
    """The sender tells of something that we have no words for."""

    def __init__(self, event: str) -> None:
        super().__init__(event)
        self.event = event


class NotAsDocumented(Exception):
    """Something is not there that the sender says there would be."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class NoSuchHeader(Exception):
    def __init__(self, header: str) -> None:
        super().__init__(header)
        self.header = header


class Refusal(Exception):
    """Anything else, in words for the sender."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words
