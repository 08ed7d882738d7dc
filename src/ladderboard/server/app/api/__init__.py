"""The API, version 1: one module for each resource; `ROUTERS` is all of them."""

from ladderboard.server.audit import api as ledger
from ladderboard.server.boards import api as leaderboard
from ladderboard.server.competitions import api as competitions
from ladderboard.server.operations import api as organise
from ladderboard.server.operations import export_api as export
from ladderboard.server.operations import health_api as health
from ladderboard.server.operations import metrics_api as metrics
from ladderboard.server.people import api as accounts
from ladderboard.server.people import tokens_api as tokens
from ladderboard.server.results import api as private_board
from ladderboard.server.results import finals_api as finals
from ladderboard.server.submissions import api as submissions
from ladderboard.server.teams import api as teams
from ladderboard.server.webhooks import api as webhooks

PREFIX = "/api/v1"

ROUTERS = (health.router, metrics.router)
"""What has an address of its own, without `PREFIX`."""

VERSIONED = (
    accounts.router,
    tokens.router,
    competitions.router,
    teams.router,
    teams.codes,
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
