"""The API, version 1: one module for each resource; `ROUTERS` is all of them."""

from ladderboard.web.api import health, submissions

PREFIX = "/api/v1"

ROUTERS = (health.router,)
"""What has an address of its own, without `PREFIX`."""

VERSIONED = (submissions.router,)
"""What stands under `PREFIX`."""
