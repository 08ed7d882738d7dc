"""The application as a server process makes it: from the environment that `ladderboard serve` prepared."""

import json
import os
from pathlib import Path

from fastapi import FastAPI

from ladderboard.assembly import open_host
from ladderboard.settings import PREFIX, Settings
from ladderboard.web.app import create_app

FOLDERS = f"{PREFIX}FOLDERS"


def app_from_environment() -> FastAPI:
    """What every worker of uvicorn calls once."""
    folders = [Path(folder) for folder in json.loads(os.environ[FOLDERS])]
    return create_app(open_host(Settings.from_environment(), folders))
