"""The lease: for how long a server may answer from memory after it has read the log."""

import time

from tertulia.database import Database

LEASE_SECONDS = 10.0  # much longer than the interval between two reads


class DirectoryLease:
    """Expires when this server has not read the log for LEASE_SECONDS.

    A server that was paused or lost its database must not accept keys and permissions that were
    revoked meanwhile. A database that no other server uses needs no lease.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read_at = -LEASE_SECONDS

    def renew(self, read_at: float) -> None:
        """`read_at` is the monotonic time before the read of all logs began."""
        self._read_at = read_at

    @property
    def is_expired(self) -> bool:
        if not self._database.is_shared:
            return False
        connected_at = self._database.connected_at
        if connected_at is None or self._read_at < connected_at:
            return True  # other servers do not wait for us, or did not at the time of the read
        return time.monotonic() - self._read_at > LEASE_SECONDS

    @property
    def seconds(self) -> float:
        return LEASE_SECONDS
