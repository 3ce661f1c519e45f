"""Listening sockets. They are opened first, before anything slow starts."""

import errno
import socket

from tertulia.config import Config
from tertulia.errors import StartupError

BACKLOG = 2048
ALL = "*"  # IPv4 and IPv6
# A machine, or a host name on it, can be without IPv6.
NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


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
        for family, address in _addresses(host):
            if listening:  # a second address of the same host uses the same port
                port = listening[0].getsockname()[1]
            listening.append(socket.create_server((address, port), family=family, backlog=BACKLOG))
    except OSError as error:
        if not listening or error.errno not in NO_SUCH_ADDRESS:
            raise CannotListen(host, port, error) from error
    return listening


def _addresses(host: str) -> list[tuple[socket.AddressFamily, str]]:
    """One socket for each: a socket for both families would show IPv4 clients as IPv6 ones."""
    if host == ALL:
        return [(socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")]  # noqa: S104
    found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((row[0], str(row[4][0])) for row in found))
