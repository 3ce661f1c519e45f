"""Ports for those who have to be told where to listen, and who may be away for a while."""

import contextlib
import random
import socket

# Below those that the system gives to outgoing connections: a client that knocks at a closed port
# could be given that very port, and would meet itself there.
PORTS = range(20_000, 30_000)

_kept: list[socket.socket] = []


def own_port() -> int:
    """A port that nobody else is given until this process ends, not even by another test run.

    Whoever holds the port of that number for datagrams has it: nobody here listens for those."""
    while True:
        port = random.choice(PORTS)
        mark = socket.socket(type=socket.SOCK_DGRAM)
        with contextlib.suppress(OSError), socket.socket() as probe:
            mark.bind(("127.0.0.1", port))
            probe.bind(("127.0.0.1", port))
            _kept.append(mark)
            return port
        mark.close()
