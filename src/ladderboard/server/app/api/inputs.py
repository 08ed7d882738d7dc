"""Types of request bodies: exactly the named fields, texts of bounded length without NUL."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

LONGEST_NAME = 200
"""As it is read; how long a name may be is said by `people.names`, with better words."""


class Input(BaseModel):
    """A JSON object; a field that is not known is refused, as it is probably misspelled."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# PostgreSQL keeps no NUL in a text, so that none may come as far as there.
_NO_NUL = r"^[^\x00]*$"

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME, pattern=_NO_NUL)]
Password = Annotated[str, StringConstraints(max_length=1000, pattern=_NO_NUL)]
Code = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_NO_NUL)]
Line = Annotated[str, StringConstraints(max_length=200, pattern=_NO_NUL)]
"""A short text for people."""
