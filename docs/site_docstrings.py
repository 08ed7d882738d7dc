"""griffe's extension: examples of docstrings, which begin with >>>, become listings."""

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^(?P<lines>>>> .*\n?(?:^(?!\s*$).*\n?)*)", flags=re.MULTILINE)


class FencedExamples(Extension):
    """Put examples between fences."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fence what a reader would type; everything else stays."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(fenced, obj.docstring.value)


def fenced(example: re.Match[str]) -> str:
    """An example as a listing of Python."""
    return f"```python\n{example['lines'].rstrip()}\n```\n"
