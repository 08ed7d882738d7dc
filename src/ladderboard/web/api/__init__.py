"""The API, version 1: one module for each resource; `ROUTERS` is all of them."""

from ladderboard.web.api import (
    accounts,
    competitions,
    export,
    finals,
    health,
    leaderboard,
    ledger,
    metrics,
    organise,
    private_board,
    submissions,
    teams,
    tokens,
    webhooks,
)

PREFIX = "/api/v1"

ROUTERS = (health.router, metrics.router)
"""What has an address of its own, without `PREFIX`."""

VERSIONED = (
    accounts.router,
    tokens.router,
    competitions.router,
    teams.router,
    submissions.router,
    finals.router,
    leaderboard.router,
    private_board.router,
    organise.router,
    ledger.router,
    webhooks.router,
    export.router,
)
"""What stands under `PREFIX`."""
