"""The example with the largest data is run as it stands in its page: examples/imagenet_ranks.py."""

import subprocess
import sys
from pathlib import Path

from tests.shared_data import ROOT, shared_data


def test_no_claim_of_the_old_imagenet_board_is_reversed_and_the_page_says_what_the_example_prints(
    tmp_path: Path,
) -> None:
    example, picture = ROOT / "examples" / "imagenet_ranks.py", tmp_path / "picture.svg"
    command = [sys.executable, "-W", "error", str(example), str(shared_data("imagenetv2")), "--out", str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("67 of 67 ranges overlap") == 3
    assert done.stdout.count("reverses 0") == 3
    assert done.stdout in (ROOT / "docs" / "theory" / "imagenet.md").read_text()
    assert "<svg" in picture.read_text()
