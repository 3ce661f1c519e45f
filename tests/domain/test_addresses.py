"""Where we may be sent by people who write down an address."""

import ipaddress

import pytest

from tertulia import domain

LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]


@pytest.mark.parametrize(
    "address, is_open",
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("64:ff9b::5db8:d70e", True),  # NAT64 to an open address
        ("::ffff:93.184.215.14", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),  # carriers' own
        ("169.254.169.254", False),  # where clouds tell their secrets
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("fe80::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("fec0::1", False),  # of sites, as it was once done
        ("5f00::1", False),  # of routers
        ("3fff::1", False),  # of examples
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("::7f00:1", False),
        ("64:ff9b::7f00:1", False),  # NAT64 to ourselves
        ("64:ff9b::a9fe:a9fe", False),
        ("64:ff9b:1::a00:1", False),
        ("2002:7f00:1::", False),  # 6to4
        ("2001:0:7f00:1::", False),  # Teredo
        ("nonsense", False),
        ("", False),
    ],
)
def test_only_public_addresses_are_open(address, is_open):
    assert domain.addresses.is_open(address) is is_open


def test_an_allowed_network_is_open_in_every_notation():
    for address in ("127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"):
        assert domain.addresses.is_open(address, LOOPBACK)
    assert not domain.addresses.is_open("10.0.0.1", LOOPBACK)
