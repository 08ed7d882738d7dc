"""The parent's side of the process that reads Parquet files: kept warm, and replaced after a file that ended it."""

from typing import Any

from ladderboard.core.child_process.parent import ChildFellError, ChildProcess, KeptChild, OutOfTimeError

SECONDS = 300.0
"""For one file, with everything that a busy machine does beside it; the process itself limits its computing."""
MODULE = "ladderboard.tabular.parquet.reader_process"


class ParquetReader:
    """A handle on the child process, which reads one file at a time; safe with several threads and after a fork."""

    def __init__(self, arguments: tuple[str, ...] = ("-m", MODULE)) -> None:
        self.child = KeptChild(lambda: ChildProcess(arguments))

    def read(self, data: bytes, *, most_rows: int, most_bytes: int) -> tuple[dict[str, Any], bytes]:
        """How it ended and the text; the word is ``ended`` where the process could not start, died, hung or babbled."""
        header = {"bytes": len(data), "most_rows": most_rows, "most_bytes": most_bytes}
        try:
            with self.child.use() as child:
                ending, text = child.ask(header, data, seconds=SECONDS, most_bytes=most_bytes)
                if ending.pop("is_worn", False):
                    child.end()
                return ending, text
        except (ChildFellError, OutOfTimeError, OSError):
            return {"word": "ended"}, b""

    def close(self) -> None:
        """End the process; the next file starts another one."""
        self.child.close()
