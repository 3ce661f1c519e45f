"""Ports for servers that need a fixed port and may be down for a while."""

import contextlib
import random
import socket

# Below the range for outgoing connections: a client that connects to a closed port could be given
# that very port, and would connect to itself.
PORTS = range(20_000, 30_000)

_kept: list[socket.socket] = []


def own_port() -> int:
    """A port that no other test gets until this process ends, not even in another test run.

    The UDP port of the same number is the lock.
    """
    while True:
        port = random.choice(PORTS)
        mark = socket.socket(type=socket.SOCK_DGRAM)
        with contextlib.suppress(OSError), socket.socket() as probe:
            mark.bind(("127.0.0.1", port))
            probe.bind(("127.0.0.1", port))
            _kept.append(mark)
            return port
        mark.close()
