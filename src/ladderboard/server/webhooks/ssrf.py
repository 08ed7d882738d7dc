"""Guard against server-side request forgery: webhooks reach public addresses only.

Otherwise a webhook's address could make the server contact its own neighbours: a database on loopback, a router, the
metadata service of a cloud. A name is resolved once, every address it has must be public, and the connection goes to
one of these, so a name that changes between check and connection (rebinding) gains nothing.
"""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from ladderboard.core.errors import ParameterError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Sequence[str]]

LONGEST_URL = 2000


class BlockedAddressError(Exception):
    """An address that may not, or cannot, be contacted; the organiser may see the message."""


@dataclass(frozen=True)
class WebhookTarget:
    """The target of a request: connect to ``address``, ask for ``host``, which must show its certificate."""

    scheme: str
    host: str
    port: int
    path: str
    address: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.scheme) else f"{host}:{self.port}"


def parse_networks(text: str) -> tuple[Network, ...]:
    """Parse the setting ``webhooks_may_reach``: addresses and networks separated by commas.

    >>> parse_networks("127.0.0.1, 10.1.0.0/16")
    (IPv4Network('127.0.0.1/32'), IPv4Network('10.1.0.0/16'))
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    try:
        return tuple(ipaddress.ip_network(word) for word in words)
    except ValueError as problem:
        raise ParameterError(
            f"webhooks_may_reach: {problem}; give addresses or networks such as 127.0.0.1 or 10.1.0.0/16"
        ) from None


def check_url(url: str, allowed: Sequence[Network] = ()) -> None:
    """Raise `ParameterError` for an address that can never be contacted. Names are resolved at delivery."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ParameterError("this is not an address; give one such as https://example.org/hook") from None
    if len(url) > LONGEST_URL or any(ord(one) <= 32 or ord(one) > 126 for one in url):
        raise ParameterError(f"a webhook's address has at most {LONGEST_URL} plain characters and no blanks")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ParameterError("a webhook's address begins with https:// or http:// and names a host")
    if parts.username is not None or parts.password is not None:
        raise ParameterError("a webhook's address must not contain a password; deliveries are signed instead")
    if port == 0:
        raise ParameterError("a webhook's port is from 1 to 65535")
    _refuse_unreachable(parts.hostname, allowed)


def _refuse_unreachable(host: str, allowed: Sequence[Network]) -> None:
    name = host.rstrip(".")
    if name.endswith(".invalid"):
        raise ParameterError("a name that ends with .invalid belongs to no computer; give the receiver's own name")
    is_local = name == "localhost" or name.endswith(".localhost")
    address = _LOOPBACK if is_local else _read_literal(name)
    if address is not None and not is_reachable(address, allowed):
        raise ParameterError(
            f"{host} is a private address, which webhooks do not reach; "
            "start the server with LADDERBOARD_WEBHOOKS_MAY_REACH to allow it"
        )


def _read_literal(host: str) -> Address | None:
    """The address that a host is, however it is written: 127.1 and 0x7f000001 too; None for a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.inet_aton(host))
    except OSError:
        return None


def resolve_target(url: str, allowed: Sequence[Network] = (), *, resolve: Resolve | None = None) -> WebhookTarget:
    """Resolve and check an address; raises `BlockedAddressError`."""
    parts = urlsplit(url)
    host, scheme = parts.hostname or "", parts.scheme
    port = parts.port or _default_port(scheme)
    try:
        found = (resolve or _resolve)(host, port)
    except (OSError, UnicodeError):
        raise BlockedAddressError("its name cannot be resolved") from None
    addresses = [ipaddress.ip_address(one.partition("%")[0]) for one in found]
    if not addresses:
        raise BlockedAddressError("its name has no address")
    if not all(is_reachable(one, allowed) for one in addresses):
        raise BlockedAddressError("it has a private address, which is not allowed (setting webhooks_may_reach)")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookTarget(scheme, host, port, path, str(addresses[0]))


def is_reachable(address: Address, allowed: Sequence[Network] = ()) -> bool:
    """Whether an address is public, or allowed by name.

    >>> [is_reachable(ipaddress.ip_address(one)) for one in ("93.184.215.14", "127.0.0.1", "::ffff:10.0.0.1")]
    [True, False, False]
    """
    if any(one.version == address.version and address in one for one in allowed):
        return True
    inner = _find_embedded(address)
    if inner is not None:
        return is_reachable(inner, allowed)
    # is_global knows private, loopback, link-local, shared and documentation ranges; multicast it calls global.
    return address.is_global and not address.is_multicast and not address.is_reserved


def _find_embedded(address: Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one leads to: mapped, 6to4, or NAT64."""
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


_LOOPBACK = ipaddress.IPv4Address("127.0.0.1")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _resolve(host: str, port: int) -> list[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
