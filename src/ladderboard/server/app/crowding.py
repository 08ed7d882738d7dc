"""Which connection makes room where a process has more than it may hold.

Shares bind only then: a whole class behind one address may have every connection while nobody else wants one.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class ConnectionFacts(NamedTuple):
    """What counts when connections are scarce."""

    network: str
    """Where the client is: an address, or the /64 of an address of IPv6."""
    account: str | None
    """Who asks, once the application knows."""
    last_sign: int | None
    """The number of the client's last sign of life, which grows with time; None while the client waits for us."""


def choose_to_close(connections: Sequence[ConnectionFacts]) -> int:
    """Choose a connection, by its place in the sequence, among those that wait for their client: one does at least.

    It is one of the network with the most connections, and in it of the account with the most; of these, the one whose
    last sign of life is the oldest.

    >>> crowd = [ConnectionFacts("192.0.2.7", None, number) for number in (5, 3, 4)]
    >>> choose_to_close([ConnectionFacts("192.0.2.9", None, 1), *crowd])
    2
    """
    in_network = Counter(one.network for one in connections)
    of_account = Counter((one.network, one.account) for one in connections)
    crowding = {
        place: (in_network[one.network], of_account[one.network, one.account], -one.last_sign)
        for place, one in enumerate(connections)
        if one.last_sign is not None
    }
    return max(crowding, key=crowding.__getitem__)
