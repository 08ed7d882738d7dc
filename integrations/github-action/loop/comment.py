"""Write the one comment of the loop at a pull request: a new one, or the former one anew.

python comment.py FILE      # GITHUB_API_URL, GITHUB_REPOSITORY, PULL_REQUEST and TOKEN in the environment
"""

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARK = "<!-- the comment of a Ladderboard loop -->"
MOST_PAGES = 50


def ask(method: str, address: str, body: Any = None) -> Any:
    """Ask the API of GitHub, documented at docs.github.com/rest/issues/comments."""
    request = urllib.request.Request(  # noqa: S310 (the runner's own address)
        address,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {os.environ['TOKEN']}", "Accept": "application/vnd.github+json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 (the runner's own address)
        return json.load(answer)


def find_comment(comments: str) -> str | None:
    """Find the address of our former comment."""
    for page in range(1, MOST_PAGES + 1):
        found = ask("GET", f"{comments}?per_page=100&page={page}")
        for one in found:
            if one["user"]["type"] == "Bot" and one["body"].startswith(MARK):  # others could write our mark
                return str(one["url"])
        if len(found) < 100:
            return None
    return None


def main() -> None:
    """Write the comment."""
    text = f"{MARK}\n{Path(sys.argv[1]).read_text(encoding='utf-8')}"
    repository = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}"
    comments = f"{repository}/issues/{os.environ['PULL_REQUEST']}/comments"
    try:
        former = find_comment(comments)
        ask("POST" if former is None else "PATCH", former or comments, {"body": text})
    except urllib.error.HTTPError as problem:
        sys.exit(f"::error::the comment could not be written ({problem}); give the job pull-requests: write")


if __name__ == "__main__":
    main()
