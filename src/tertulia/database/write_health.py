"""Whether this server's writes succeed; `/health` and the metrics report it."""


class WriteHealth:
    """The reason why the disk refused the last commit, until one succeeds."""

    __slots__ = ("failure",)

    def __init__(self) -> None:
        self.failure: str | None = None

    def succeeded(self) -> None:
        self.failure = None

    def failed(self, reason: str | None) -> None:
        """`reason` is None if the disk is not the cause, for example a lock timeout."""
        if reason is not None:
            self.failure = reason
