"""The publication after the reveal: the opening of the commitment and the solution it binds.

With it anybody can check that labels, split, metric, mechanism and the secret of every draw are what they were when
the competition opened; and, where submissions are published too, replay every release. `published` reads it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from ladderboard.competition import Solution, list_file_digests, rules_to_json
from ladderboard.core.errors import NotFoundError
from ladderboard.server.audit.published import COLUMNS, FORMAT
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import commitment_opening
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions, results

ROWS_AT_ONCE = 10_000


def stream_publication(connection: Connection, live: LiveCompetition) -> Iterator[str]:
    """The publication as JSON, in parts: a large solution is never in memory as one text.

    Raises `NotFoundError` before the reveal, and where the rules keep the solution secret.
    """
    row = competitions.get(connection, live.slug)
    if row.revealed_at is None:
        raise NotFoundError("the solution is published when the private board is revealed, and not before")
    if not live.rules.publish_solution:
        raise NotFoundError("the rules of this competition keep its solution secret, also after the reveal")
    competition = live.competition
    board = results.find_result(connection, live.slug, row.scoring_version)
    facts = {
        "format": FORMAT,
        "competition": live.slug,
        "scoring_version": live.scoring_version,
        "salt": row.commitment_salt,
        "opening": commitment_opening(competition, live.secret),
        "rules": rules_to_json(competition.rules),
        "metric_source": competition.metric_source,
        "files": list_file_digests(competition),
        # The labels are published too, so all classes are, whether participants were told them or not.
        "submission_format": replace(competition.format, shows_classes=True).to_wire(),
        "columns": [competition.solution.id_column, *competition.solution.label_columns],
        "submissions_are_published": competition.rules.publish_submissions,
        "private_board": None if board is None else board.result,
    }
    return _parts(facts, competition.solution)


def _parts(facts: Mapping[str, Any], solution: Solution) -> Iterator[str]:
    yield json.dumps(facts)[:-1] + ', "solution": {'
    for index, name in enumerate(COLUMNS):
        values: npt.NDArray[Any] | None = getattr(solution, name)
        yield f'{", " if index else ""}"{name}": ' + ("null" if values is None else "[")
        if values is None:
            continue
        for start in range(0, len(values), ROWS_AT_ONCE):
            listed = json.dumps(values[start : start + ROWS_AT_ONCE].tolist())[1:-1]
            yield f"{', ' if start else ''}{listed}"
        yield "]"
    yield "}}\n"
