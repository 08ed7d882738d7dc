"""Networks that count as one place, where limits are per address."""

import ipaddress

IPV6_PREFIX = 64
"""Whoever has one address of IPv6 has all that begin with the same 64 bits."""


def find_network(address: str) -> str:
    """What counts as one place: an address of IPv4, the /64 of an address of IPv6, any other text as it is.

    >>> find_network("192.0.2.7"), find_network("2001:db8:0:1:2::3"), find_network("::ffff:192.0.2.7"), find_network("")
    ('192.0.2.7', '2001:db8:0:1::/64', '192.0.2.7', '')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
