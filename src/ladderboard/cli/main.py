"""`ladderboard`: the table of commands. A command's module is imported only when it is called."""

import click

from ladderboard.cli._shared.lazy_group import LazyGroup

COMMANDS = {
    "demo": ("ladderboard.cli.host.demo:demo", "A running board with honest teams and one attacker, on SQLite."),
    "sota": ("ladderboard.cli.analyse.sota:sota", "How much of a best score is luck."),
    "ranks": ("ladderboard.cli.analyse.ranks:ranks", "The ranks that the systems of a finished board may truly have."),
    "winner": (
        "ladderboard.cli.analyse.winner:winner",
        "The winner's score, corrected for having been chosen as the best.",
    ),
    "audit-records": ("ladderboard.cli.analyse.audit_records:audit_records", "Which records of a board are real."),
    "replay": ("ladderboard.cli.analyse.replay:replay", "The boards that other mechanisms would have shown."),
    "plan": ("ladderboard.cli.analyse.plan:plan", "How many submissions a test set bears, before a competition opens."),
    "holdout": ("ladderboard.cli.guard.holdout:holdout", "A personal holdout guard on files: init, score, status."),
    "new": ("ladderboard.cli.host.new:new", "Make a competition folder from a solution file, or an example that runs."),
    "check": (
        "ladderboard.cli.host.check:check",
        "Everything that is wrong with a competition folder, by file and line.",
    ),
    "serve": ("ladderboard.cli.host.serve:serve", "Serve competitions from their folders: pages, API, board."),
    "sign-up": ("ladderboard.cli.participate.sign_in:sign_up", "Make an account on a server and sign in to it."),
    "sign-in": (
        "ladderboard.cli.participate.sign_in:sign_in",
        "Sign in to a server; the token is kept for the next commands.",
    ),
    "sign-out": ("ladderboard.cli.participate.sign_in:sign_out", "Forget that token, and make it worthless."),
    "team": ("ladderboard.cli.participate.team:team", "Make, join, show or leave a team."),
    "submit": (
        "ladderboard.cli.participate.submit:submit",
        "Send predictions to a competition, or only check the file.",
    ),
    "standings": ("ladderboard.cli.participate.standings:standings", "The board of a competition, public or private."),
    "my-submissions": (
        "ladderboard.cli.participate.my_submissions:my_submissions",
        "What your team has sent, and was told.",
    ),
    "select-final": (
        "ladderboard.cli.participate.select_final:select_final",
        "Pick the submissions that count in the end.",
    ),
    "users": (
        "ladderboard.cli.host.users:users",
        "People: make accounts, help to a new password, say who may sign up.",
    ),
    "freeze": ("ladderboard.cli.host.organise:freeze", "Close a competition now."),
    "finalize": ("ladderboard.cli.host.finalize:finalize", "Compute the private board of a closed competition."),
    "reveal": ("ladderboard.cli.host.organise:reveal", "Show the private board to everybody."),
    "rescore": (
        "ladderboard.cli.host.finalize:rescore",
        "Score all anew with a corrected solution; a preview first.",
    ),
    "flags": (
        "ladderboard.cli.host.flags:flags",
        "What an organiser should look at: near-duplicates, probing, copies.",
    ),
    "quota": ("ladderboard.cli.host.organise:quota", "Give a team more attempts."),
    "baseline": ("ladderboard.cli.host.organise:baseline", "Put a baseline on the board."),
    "webhooks": ("ladderboard.cli.host.webhooks:webhooks", "Who is told what happens on a board."),
    "export": ("ladderboard.cli.host.export:export", "Everything of a competition as CSV or JSON files."),
    "ledger": ("ladderboard.cli.host.ledger:ledger", "Check a competition's audit log, and make every release again."),
    "backup": ("ladderboard.cli.host.backup:backup", "A server's data and files in one file, while it runs."),
    "restore": ("ladderboard.cli.host.backup:restore", "A server's data made again from a backup."),
    "drill": ("ladderboard.cli.host.drill:drill", "Attack a copy of a competition over HTTP, and say what leaked."),
    "lab": (
        "ladderboard.cli.lab.group:lab",
        "The laboratory: attack a mechanism, compare all, make the papers' figures again.",
    ),
}
"""Name → (module:object, one line of help). `ladderboard --help` prints this table and imports nothing else."""


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
    """What the installed command calls."""
    cli(prog_name="ladderboard")
