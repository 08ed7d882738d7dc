"""A solution as CSV text with its split written out: it reads the same whatever changes in a label."""

import csv
import io

from ladderboard.competition.model import Solution

USAGE, WEIGHT, GROUP = "Usage", "weight", "group"


def write_solution(solution: Solution) -> bytes:
    """Write ids, one column of labels, Usage, and weights and groups where there are any."""
    names = [solution.id_column, *solution.label_columns, USAGE]
    columns = [solution.ids.tolist(), solution.labels.tolist(), solution.usage.tolist()]
    if solution.weight is not None:
        names.append(WEIGHT)
        columns.append([repr(one) for one in solution.weight.tolist()])
    if solution.group is not None:
        names.append(GROUP)
        columns.append([f"g{one:09d}" for one in solution.group.tolist()])  # sorted as the groups are numbered
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode()
