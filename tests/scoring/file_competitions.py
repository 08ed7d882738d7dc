"""A small competition whose submissions are zips of texts, one for each item, in a folder."""

import io
import random
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

IDS = tuple(f"t{number:03d}" for number in range(120))
WORDS = 20
SCORER = """
def score_items(submission, solution):
    for path in sorted(solution.iterdir()):
        truth, given = path.read_text().split(), (submission / path.name).read_text().split()
        yield path.stem, sum(a == b for a, b in zip(truth, given)) / len(truth)
"""
TOML = """
title = "Texts"
slug = "texts"
mechanism = "witness_ladder"
[metric]
file = "score.py"
lower_is_better = false
[limits]
per_day = 50
"""


def make_truth(seed: int = 0) -> dict[str, str]:
    """The text of each item."""
    rng = random.Random(seed)
    return {one: " ".join(rng.choice("abcd") for _ in range(WORDS)) for one in IDS}


def make_zip(files: Mapping[str, str] | Iterable[tuple[str, str]]) -> bytes:
    """A zip of these files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in dict(files).items():
            archive.writestr(zipfile.ZipInfo(name), text)  # equal files are equal bytes
    return content.getvalue()


def make_submission(share: float, *, truth: Mapping[str, str] | None = None, seed: int = 1) -> bytes:
    """A submission in which this share of the words of each item is right."""
    rng = random.Random(seed)
    return make_zip(
        (f"{one}.txt", " ".join(word if rng.random() < share else "x" for word in text.split()))
        for one, text in (truth or make_truth()).items()
    )


def make_folder(
    folder: Path, *, scorer: str = SCORER, toml: str = TOML, truth: Mapping[str, str] | None = None
) -> Path:
    """The competition's folder."""
    (folder / "solution").mkdir(parents=True, exist_ok=True)
    for one, text in (truth or make_truth()).items():
        (folder / "solution" / f"{one}.txt").write_text(text)
    rng = random.Random(7)
    usage = [("Public", "Public", "Private")[rng.randrange(3)] for _ in IDS]
    rows = "".join(f"{one},{part}\n" for one, part in zip(IDS, usage, strict=True))
    (folder / "items.csv").write_text("id,Usage\n" + rows)
    (folder / "sample_submission.zip").write_bytes(make_zip((f"{one}.txt", "a " * WORDS) for one in IDS))
    (folder / "score.py").write_text(scorer)
    (folder / "competition.toml").write_text(toml)
    (folder / "description.md").write_text("# Texts\n\nGuess the letters.\n")
    return folder
