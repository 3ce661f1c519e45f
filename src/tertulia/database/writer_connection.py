"""The connection of a writer. A lost one is replaced when the next transaction begins."""

from typing import Any

from tertulia.database.dialect import Dialect
from tertulia.log import log


class WriterConnection:
    def __init__(self, dialect: Dialect, *, prepares: bool = False) -> None:
        self._dialect = dialect
        self._prepares = prepares
        self.raw: Any = None  # None before the first transaction, and after a failure
        self.is_committing = False  # an error now may come after the commit

    def begin(self) -> None:
        if self.raw is not None:
            try:
                self._dialect.begin_write(self.raw)
                return
            except Exception as error:
                if not self._dialect.failures.is_outage(error):
                    raise
                self.close()
        self.raw = self._dialect.connect_to_write(prepares=self._prepares)
        self._dialect.begin_write(self.raw)

    def command(self, sql: str) -> None:
        self._dialect.command(self.raw, sql)

    def commit(self) -> None:
        self.is_committing = True
        self.command("COMMIT")
        self.is_committing = False

    def close(self) -> None:
        """Close the connection; the database rolls back what was not committed."""
        if self.raw is not None:
            raw, self.raw = self.raw, None
            try:
                raw.close()
            except Exception:
                log.debug("database.close_failed")
