"""Listening sockets. They are opened first, before anything slow starts."""

import errno
import socket

from tertulia.config import Config
from tertulia.errors import StartupError

BACKLOG = 2048


class CannotListen(StartupError):
    def __init__(self, host: str, port: int, error: OSError) -> None:
        reason = {
            errno.EADDRINUSE: f"Port {port} on {host} is in use; choose another one with --port.",
            errno.EACCES: f"Port {port} may only be used by the system; choose one above 1023.",
        }.get(error.errno or 0, f"Cannot listen on {host}, port {port}: {error.strerror}.")
        super().__init__(reason)


def listen(config: Config) -> list[socket.socket]:
    """Open the listening sockets. Raises CannotListen."""
    host, port = config.host, config.port
    listening: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, address in dict.fromkeys((row[0], row[4]) for row in found):
            if listening:  # a second address of the same host name uses the same port
                port = listening[0].getsockname()[1]
            address_and_port = (str(address[0]), port)
            listening.append(socket.create_server(address_and_port, family=family, backlog=BACKLOG))
    except OSError as error:
        # A host name may have an IPv6 address on a machine without IPv6.
        if not listening or error.errno != errno.EADDRNOTAVAIL:
            raise CannotListen(host, port, error) from error
    return listening
