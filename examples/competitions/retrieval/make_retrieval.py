r"""A competition of ranked lists: queries, documents on topics, and two submissions that rank the documents.

    python examples/competitions/retrieval/make_retrieval.py search-files
    ladderboard new search --solution search-files/solution.csv --id query \
        --label relevant --label grades --metric ndcg

Then `ladderboard serve search`; participants get search-files/data, and weak.csv and better.csv are submissions.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

QUERIES, DOCUMENTS, TOPICS, K = 300, 400, 40, 10
COMMON, RARE = 30, 12
"""Words that every document has, and words of each topic."""


def main(folder: Path) -> None:
    """Write the solution, what participants get, and two submissions."""
    rng = np.random.default_rng(0)
    topics = rng.integers(0, TOPICS, DOCUMENTS)
    documents = np.stack([count_words(rng, topic, own=8) for topic in topics])
    wanted = rng.integers(0, TOPICS, QUERIES)
    queries = np.stack([count_words(rng, topic, own=2) for topic in wanted])
    names = [f"d{number}" for number in range(DOCUMENTS)]
    ids = [f"q{number:03d}" for number in rng.permutation(QUERIES)]
    usage = rng.choice(["Public", "Private"], QUERIES)
    (folder / "data").mkdir(parents=True)
    write(folder / "data" / "documents.csv", ["document", "words"], zip(names, map(spell, documents), strict=True))
    write(folder / "data" / "queries.csv", ["query", "words"], zip(ids, map(spell, queries), strict=True))
    truth = [
        [one, *judge(topic, topics, documents, names), use] for one, topic, use in zip(ids, wanted, usage, strict=True)
    ]
    write(folder / "solution.csv", ["query", "relevant", "grades", "Usage"], truth)
    rarity = np.log(DOCUMENTS / (1 + (documents > 0).sum(axis=0)))
    for name, scores in {"weak": queries @ documents.T, "better": (queries * rarity) @ documents.T}.items():
        best = np.argsort(-scores, axis=1, kind="stable")[:, :K]
        lists = [" ".join(names[at] for at in row) for row in best]
        write(folder / f"{name}.csv", ["query", "relevant"], zip(ids, lists, strict=True))


def count_words(rng: np.random.Generator, topic: int, *, own: int) -> np.ndarray:
    """How often each word is in a text: common ones, and a few of its topic."""
    words = [rng.integers(0, COMMON, 12), COMMON + topic * RARE + rng.integers(0, RARE, own)]
    return np.bincount(np.concatenate(words), minlength=COMMON + TOPICS * RARE)


def spell(counts: np.ndarray) -> str:
    """The words, one after the other."""
    return " ".join(f"w{word}" for word in np.repeat(np.arange(len(counts)), counts))


def judge(topic: int, topics: np.ndarray, documents: np.ndarray, names: list[str]) -> tuple[str, str]:
    """The documents of the topic; those with many different words of it have the grade 2."""
    relevant = np.flatnonzero(topics == topic)
    own = documents[relevant][:, COMMON + topic * RARE :][:, :RARE]
    grades = 1 + ((own > 0).sum(axis=1) >= 6)
    return " ".join(names[at] for at in relevant), " ".join(map(str, grades))


def write(path: Path, header: list[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
