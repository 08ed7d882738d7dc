"""The format that a server describes → the validator that the server itself uses."""

import json
from typing import TYPE_CHECKING

from ladderboard.core.errors import AnswerError, InputError, ParameterError

if TYPE_CHECKING:
    from ladderboard.tabular.format import SubmissionFormat


def read_format(described: bytes, sample: bytes) -> "SubmissionFormat":
    """The format from its description and the sample submission, which has the ids."""
    try:
        from ladderboard.tabular import format_with_ids
    except ModuleNotFoundError as error:
        if error.name != "polars":
            raise
        raise ParameterError("checking a file needs polars: pip install 'ladderboard[files]'") from None
    try:
        return format_with_ids(json.loads(described), sample)
    except (ValueError, KeyError, TypeError, InputError) as error:
        raise AnswerError(f"the server's description of its format cannot be used ({error})") from None
