"""The sample submission of a competition whose submissions are files: it says what they are like."""

from dataclasses import dataclass
from pathlib import Path

from ladderboard.core.errors import CompetitionError

STEM = "sample_submission"


@dataclass(frozen=True, eq=False)
class SampleFile:
    """The organiser's sample: its name and its content."""

    name: str
    content: bytes


def read_sample_file(folder: Path) -> SampleFile:
    """The file ``sample_submission.*`` of a folder; raises `CompetitionError` where there is none, or several."""
    found = sorted(path for path in folder.iterdir() if path.name.partition(".")[0] == STEM and path.is_file())
    if not found:
        raise CompetitionError(
            f"{STEM}.* is missing: submissions are files, and the sample says what they are like; put a valid one "
            f"there, such as {STEM}.zip or {STEM}.json"
        )
    if len(found) > 1:
        raise CompetitionError(f"there are several samples ({', '.join(one.name for one in found)}); keep one")
    return SampleFile(found[0].name, found[0].read_bytes())
