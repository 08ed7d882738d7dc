"""Real data beside the checkout: tests that use it skip loudly where it is absent."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"


def shared_data(name: str) -> Path:
    """The folder of a real data set (imagenetv2, cifar10, semeval2018_arct, msmarco_doc, ladder_paper)."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"REAL DATA ABSENT: {name} is expected in ../shared/data beside the checkout; nothing was tested")
    return folder
