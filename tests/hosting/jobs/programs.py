"""A competition of programs: hidden lines of numbers, whose signs are the labels."""

import io
import random
import zipfile
from pathlib import Path

ROWS = 80
TOML = """\
title = "Signs"
slug = "signs"
metric = "accuracy"
[limits]
per_day = {per_day}
[code]
runs_per_day = {runs}
time_limit = 20
memory_mb = 600
files_mb = 64
"""
ANSWER = """
import pathlib, random, sys
print("a line of the log")
rows = [line.split(",") for line in (pathlib.Path(sys.argv[1]) / "x.csv").read_text().split()[1:]]
rng = random.Random(3)
with open(sys.argv[2], "w") as file:
    print("id,label", file=file)
    for name, x in rows:
        sign = int(float(x) > 0)
        print(name, sign if rng.random() < {share} else 1 - sign, sep=",", file=file)
"""
ONLY_HIDDEN = "len((__import__('pathlib').Path(__import__('sys').argv[1]) / 'x.csv').read_text().split()) > 20"


def pack(source: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo("predict.py"), source)
    return content.getvalue()


def answer(share: float) -> bytes:
    """A program that is right on this share of the rows."""
    return pack(ANSWER.format(share=share))


def fail_hidden(how: str) -> bytes:
    """A program that answers the sample, and does something else where there are hidden inputs."""
    return pack(f"if {ONLY_HIDDEN}:\n    {how}\nelse:\n" + ANSWER.format(share=1).replace("\n", "\n    "))


def write_programs(folder: Path, *, per_day: str = '"none"', runs: str = '"none"') -> Path:
    """The competition's folder."""
    rng = random.Random(1)
    rows = [(f"r{number}", round(rng.gauss(0, 1), 4), rng.choice(["Public", "Private"])) for number in range(ROWS)]
    for name, part in (("inputs", rows), ("data/sample_inputs", rows[:4])):
        (folder / name).mkdir(parents=True)
        lines = [f"{one},{x if name == 'inputs' else -x}" for one, x, _ in part]
        (folder / name / "x.csv").write_text("\n".join(["id,x", *lines]))
    lines = [f"{one},{int(x > 0)},{usage}" for one, x, usage in rows]
    (folder / "solution.csv").write_text("\n".join(["id,label,Usage", *lines]))
    (folder / "sample_submission.csv").write_text("\n".join(["id,label", *(f"{one},0" for one, _, _ in rows)]))
    (folder / "competition.toml").write_text(TOML.format(per_day=per_day, runs=runs))
    (folder / "description.md").write_text("# Signs\n")
    return folder
