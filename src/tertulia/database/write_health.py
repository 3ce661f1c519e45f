"""Whether this server's writes succeed: what `/health` and the metrics report of them."""


class WriteHealth:
    """Remembers why the disk refused the last commit, until one succeeds."""

    __slots__ = ("failure",)

    def __init__(self) -> None:
        self.failure: str | None = None

    def succeeded(self) -> None:
        self.failure = None

    def failed(self, reason: str | None) -> None:
        """`reason` is None where the disk is not to blame, as with a lock held by others."""
        if reason is not None:
            self.failure = reason
