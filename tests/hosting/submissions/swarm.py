"""One of several client processes: its teams submit in threads, each in its order, now to one server, now to the other.

Work comes as JSON on standard input, the answers go as JSON to standard output.
"""

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ladderboard.competition import Competition
from tests.hosting.competitions import a_competition
from tests.hosting.live import Contestant

THREADS = 4


def contest() -> Competition:
    """The competition of the swarm; servers read it from a folder, clients know its rows."""
    return a_competition(rows=100, metric="error_rate", mechanism="shaky_ladder")


def play(competition: Competition, one: Contestant, ports: Sequence[int], seeds: Sequence[int]) -> list[Any]:
    """Submit one after another; [status, answer] of each."""
    answers = []
    for number, seed in enumerate(seeds):
        reply = one.submit(ports[number % len(ports)], competition, seed)
        answers.append([reply.status, reply.body])
    one.hang_up()
    return answers


def main() -> None:
    """Play for all teams that standard input names."""
    work = json.load(sys.stdin)
    competition = contest()
    with ThreadPoolExecutor(THREADS) as pool:
        playing = {
            team["id"]: pool.submit(
                play, competition, Contestant(team["id"], team["token"]), work["ports"], team["seeds"]
            )
            for team in work["teams"]
        }
        json.dump({team: future.result() for team, future in playing.items()}, sys.stdout)


if __name__ == "__main__":
    main()
