"""The application as a server process makes it: from the environment that `ladderboard serve` prepared."""

import json
import os
from pathlib import Path

from fastapi import FastAPI

from ladderboard.assembly import open_host
from ladderboard.settings import PREFIX, Settings
from ladderboard.web.app import create_app
from ladderboard.web.logging import configure_logs

FOLDERS = f"{PREFIX}FOLDERS"


def app_from_environment() -> FastAPI:
    """What every worker of uvicorn calls once."""
    folders = [Path(folder) for folder in json.loads(os.environ[FOLDERS])]
    settings = Settings.from_environment()
    configure_logs(settings.log_level)
    return create_app(open_host(settings, folders))
