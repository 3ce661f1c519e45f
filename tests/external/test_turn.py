"""The check of TURN servers, against coturn."""

import itertools
import socket
import socketserver
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.support.coturn import SECRET, relay  # noqa: F401

from tertulia.checks import relays
from tertulia.config import Config


def problems(servers: str, secret: str = SECRET) -> list[str]:
    (found,) = relays.examine(replace(Config(), turn_servers=servers, turn_secret=secret))
    return list(found.problems)


@contextmanager
def unreliable(relay):  # noqa: F811
    """The address of a network that loses the first packet, and carries each other one twice."""
    host, port = relay.split(":")
    packets = itertools.count()

    class Network(socketserver.BaseRequestHandler):
        def handle(self):
            packet, here = self.request
            if next(packets) == 0:
                return
            there.send(packet)
            answer = there.recv(2048)
            for _ in range(2):
                here.sendto(answer, self.client_address)

    with (
        socket.socket(type=socket.SOCK_DGRAM) as there,
        socketserver.UDPServer(("127.0.0.1", 0), Network) as server,
    ):
        there.connect((host, int(port)))
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield "{}:{}".format(*server.server_address)
        server.shutdown()


@pytest.mark.parametrize("way", ["udp", "tcp"])
def test_a_server_that_relays_is_found_well(relay, way):  # noqa: F811
    assert problems(f"turn:{relay}?transport={way}") == []


def test_lost_and_doubled_packets_are_no_problem(relay):  # noqa: F811
    with unreliable(relay) as between:
        assert problems(f"turn:{between}") == []


def test_a_wrong_secret_is_found(relay):  # noqa: F811
    (problem,) = problems(f"turn:{relay}", "another")

    assert problem.startswith(f"turn:{relay}: it refuses with 401")


def test_a_server_that_is_not_there_and_a_wrong_address_are_found():
    with socket.socket(type=socket.SOCK_DGRAM) as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]

    gone, wrong = problems(f"turn:127.0.0.1:{port} 127.0.0.1:{port}")

    assert gone.startswith(f"turn:127.0.0.1:{port}: no answer")
    assert "not an address like turn:" in wrong


def test_without_a_turn_server_nothing_is_checked():
    assert relays.examine(Config()) == []
