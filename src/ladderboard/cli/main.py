"""The `ladderboard` command: a table of subcommands, each imported only when it is called."""

import click

from ladderboard.cli._shared.lazy_group import LazyGroup

COMMANDS = {
    "demo": ("ladderboard.cli.host.demo:demo", "Start a demo competition with honest teams and one attacker."),
    "sota": ("ladderboard.cli.analyse.sota:sota", "Estimate how much of a best score is luck."),
    "ranks": ("ladderboard.cli.analyse.ranks:ranks", "Show which ranks each system could truly have."),
    "winner": ("ladderboard.cli.analyse.winner:winner", "Estimate the winner's true score, corrected for selection."),
    "audit-records": (
        "ladderboard.cli.analyse.audit_records:audit_records",
        "Check which claimed records on a board are real.",
    ),
    "report": ("ladderboard.cli.analyse.report:report", "Write one page about a set of results: ranks, ties, winner."),
    "replay": ("ladderboard.cli.analyse.replay:replay", "Replay a finished competition under other mechanisms."),
    "shake-up": ("ladderboard.cli.analyse.shake_up:shake_up", "Compare the public and private scores of a board."),
    "plan": ("ladderboard.cli.analyse.plan:plan", "Plan how many submissions a test set can bear."),
    "holdout": ("ladderboard.cli.guard.holdout:holdout", "Guard a holdout set of your own: init, score, status."),
    "new": ("ladderboard.cli.host.new:new", "Create a competition folder from a solution file, or an example."),
    "check": (
        "ladderboard.cli.host.check:check",
        "Check a competition folder and list every problem by file and line.",
    ),
    "serve": ("ladderboard.cli.host.serve:serve", "Serve competitions: web pages, API and leaderboard."),
    "sign-up": ("ladderboard.cli.participate.sign_in:sign_up", "Create an account on a server and sign in."),
    "sign-in": ("ladderboard.cli.participate.sign_in:sign_in", "Sign in to a server and save the token."),
    "sign-out": ("ladderboard.cli.participate.sign_in:sign_out", "Delete the saved token and revoke it on the server."),
    "team": ("ladderboard.cli.participate.team:team", "Create, join, show or leave a team."),
    "submit": ("ladderboard.cli.participate.submit:submit", "Submit predictions, or check a file without sending it."),
    "standings": ("ladderboard.cli.participate.standings:standings", "Show a leaderboard, public or private."),
    "my-submissions": (
        "ladderboard.cli.participate.my_submissions:my_submissions",
        "List your team's submissions and their scores.",
    ),
    "select-final": (
        "ladderboard.cli.participate.select_final:select_final",
        "Choose the submissions that count in the end.",
    ),
    "users": ("ladderboard.cli.host.users:users", "Manage accounts: add people, reset passwords, control sign-up."),
    "freeze": ("ladderboard.cli.host.organise:freeze", "Close a competition now."),
    "finalize": ("ladderboard.cli.host.finalize:finalize", "Compute the private leaderboard of a closed competition."),
    "reveal": ("ladderboard.cli.host.organise:reveal", "Publish the private leaderboard."),
    "rescore": (
        "ladderboard.cli.host.finalize:rescore",
        "Rescore every submission with a corrected solution; preview first.",
    ),
    "flags": (
        "ladderboard.cli.host.flags:flags",
        "List what an organiser should review: near-duplicates, probing, copies.",
    ),
    "quota": ("ladderboard.cli.host.organise:quota", "Show or change a team's extra attempts."),
    "baseline": ("ladderboard.cli.host.organise:baseline", "Add a baseline to the leaderboard."),
    "webhooks": ("ladderboard.cli.host.webhooks:webhooks", "Manage who is notified when something happens on a board."),
    "export": ("ladderboard.cli.host.export:export", "Export a whole competition as CSV or JSON files."),
    "ledger": ("ladderboard.cli.host.ledger:ledger", "Verify a competition's audit log, or replay every score in it."),
    "backup": ("ladderboard.cli.host.backup:backup", "Back up a running server's data and files into one file."),
    "verify-files": ("ladderboard.cli.host.backup:verify_files", "Check that every submitted file is intact."),
    "restore": ("ladderboard.cli.host.backup:restore", "Restore a server's data from a backup."),
    "drill": ("ladderboard.cli.host.drill:drill", "Attack a copy of a competition over HTTP and report what leaked."),
    "lab": ("ladderboard.cli.lab.group:lab", "Run the laboratory: attack mechanisms, compare them, reproduce papers."),
}
"""Name → (module:object, one-line help). `ladderboard --help` prints this table and imports nothing else."""


@click.group(cls=LazyGroup, commands_by_name=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ladderboard", message="%(package)s %(version)s")
def cli() -> None:
    r"""A leaderboard that cannot be climbed by luck.

    \b
    Example:
      ladderboard demo
      ladderboard holdout init labels.csv --metric auc --to holdout.db
    """


def main() -> None:
    """Run the installed command."""
    cli(prog_name="ladderboard")
