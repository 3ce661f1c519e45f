"""Which IP addresses the server may contact when a user supplies the URL.

Hosts outside the public Internet may trust this server, so users must not reach them through it.
"""

import ipaddress
from collections.abc import Iterable

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Networks = Iterable[ipaddress.IPv4Network | ipaddress.IPv6Network]

# IPv6 networks whose addresses contain an IPv4 address in their last 32 bits. Python calls some of
# them global regardless of that address.
TRANSLATED = [
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("::ffff:0:0:0/96"),
]


# The global unicast range of IPv6, which includes a range for documentation. Python knows only some
# of the special-purpose ranges outside.
WORLD = ipaddress.IPv6Network("2000::/3")
EXAMPLES = ipaddress.IPv6Network("3fff::/20")


def is_open(text: str, allowed: Networks = ()) -> bool:
    """Whether an address is on the public Internet or in an allowed network."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    meant = [address, *_inside(address)]
    networks = list(allowed)
    if any(each in network for each in meant for network in networks):
        return True
    return all(_is_global(each) for each in meant)


def _is_global(address: IpAddress) -> bool:
    if not address.is_global or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    if address.ipv4_mapped is not None or any(address in network for network in TRANSLATED):
        return True  # the address inside is checked by itself
    return address in WORLD and address not in EXAMPLES


def _inside(address: IpAddress) -> list[IpAddress]:
    """The IPv4 addresses that an IPv6 address is translated to."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[IpAddress | None] = [
        address.ipv4_mapped,
        address.sixtofour,
        *(address.teredo or ()),
    ]
    if any(address in network for network in TRANSLATED):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in found if each is not None]
