"""What a competition lets a submission unpack to: enough for every file of its rows, and no room for bombs."""

import gzip
from pathlib import Path

import pytest

from ladderboard.competition import load_competition
from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import read_predictions
from tests.competition.folders import TOML, write_folder

MEBIBYTE = 1 << 20


def test_a_small_competition_unpacks_no_large_archive(tmp_path: Path) -> None:
    expected = load_competition(write_folder(tmp_path)).format
    assert expected.max_unpacked_bytes < 8 * MEBIBYTE
    with pytest.raises(SubmissionError) as refusal:
        read_predictions(gzip.compress((b" " * (MEBIBYTE - 1) + b"\n") * 8), expected)
    assert refusal.value.counts == {"unpacks_too_large": 1}


def test_a_wasteful_file_still_fits(tmp_path: Path) -> None:
    """Quoted, padded and with every digit there is: more bytes than anybody needs."""
    competition = load_competition(write_folder(tmp_path, TOML.replace("accuracy", "auc")))
    rows = "".join(f'"{row}",    0.{row:0300d}    \n' for row in competition.solution.ids)
    read = read_predictions(gzip.compress(f"id,label\n{rows}".encode()), competition.format)
    assert len(read.values) == len(competition.solution.ids)


def test_the_organisers_limit_holds_where_it_is_lower(tmp_path: Path) -> None:
    competition = load_competition(write_folder(tmp_path, f"{TOML}[limits]\nmax_file_mb = 0.5\n"))
    assert competition.format.max_unpacked_bytes == 5 * MEBIBYTE // 2
