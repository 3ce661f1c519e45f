"""Which machines we may be made to talk to by people who write down an address.

Whatever is not on the open Internet is ours or our neighbours': it trusts us, and must not be
reached in somebody else's name.
"""

import ipaddress
from collections.abc import Iterable

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Networks = Iterable[ipaddress.IPv4Network | ipaddress.IPv6Network]

# Networks in which an IPv6 address holds an IPv4 one, in its last 32 bits; Python calls some of
# them global, whatever is inside.
TRANSLATED = [
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("::ffff:0:0:0/96"),
]


# Of IPv6 this is given to the world; what else there is, is for special purposes, of which Python
# knows some. A part of it is for examples.
WORLD = ipaddress.IPv6Network("2000::/3")
EXAMPLES = ipaddress.IPv6Network("3fff::/20")


def is_open(text: str, allowed: Networks = ()) -> bool:
    """Whether an address is on the open Internet, or in a network that was allowed."""
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
        return True  # what is inside is looked at by itself
    return address in WORLD and address not in EXAMPLES


def _inside(address: IpAddress) -> list[IpAddress]:
    """The addresses that one stands for, where it is translated on the way."""
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
