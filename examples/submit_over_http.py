"""A participant in Python: sign up, create a team, check a file, submit, read the board.

    ladderboard new try-it && ladderboard serve try-it &
    python examples/submit_over_http.py http://127.0.0.1:8000

It submits the sample submission and two files of random numbers. None of them predicts anything, and the board says so
each time.
"""

import argparse
import csv
import io

import numpy as np

import ladderboard as lb
from ladderboard.client import Client


def main() -> None:
    """Submit three files and print the answer to each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="http://127.0.0.1:8000")
    parser.add_argument("--name", default="ada", help="of the account and the team that are made")
    parser.add_argument("--password", default="correct horse battery")
    given = parser.parse_args()
    with Client(given.server) as client:
        client.sign_up(given.name, given.password)
        client.sign_in(given.name, given.password)
        competition = next(iter(client.competitions()))
        client.create_team(competition.slug, f"{given.name}'s team")
        take_part(client, competition.slug)


def take_part(client: Client, slug: str) -> None:
    """Three submissions, and where they led."""
    sample = client.sample_submission(slug)
    try:
        client.validate(slug, sample.replace(b"\n", b",surprise\n", 1))
    except lb.SubmissionError as refusal:
        print(f"refused before it was sent: {refusal.problems[0]}")
    for number in range(3):
        content = sample if number == 0 else with_random_numbers(sample, seed=number)
        answer = client.submit(slug, content, note=f"example {number}")
        if answer.outcome is not None:
            print(f"attempt {answer.release.attempt}: {answer.outcome.title}: {answer.outcome.sentence}")
    (own,) = [row for row in client.leaderboard(slug) if row.team == client.team(slug).name]
    print(f"rank {own.rank} of {sum(row.kind == 'team' for row in client.leaderboard(slug))}")


def with_random_numbers(sample: bytes, seed: int) -> bytes:
    """The same ids with numbers between 0 and 1."""
    rng = np.random.default_rng(seed)
    rows = list(csv.reader(io.StringIO(sample.decode())))
    text = io.StringIO()
    csv.writer(text).writerows([rows[0], *([row[0], *(f"{rng.random():.3f}" for _ in row[1:])] for row in rows[1:])])
    return text.getvalue().encode()


if __name__ == "__main__":
    main()
