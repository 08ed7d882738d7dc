"""`ladderboard`: the table of commands. A command's module is imported only when it is called."""

import click

from ladderboard.cli.lazy_group import LazyGroup

COMMANDS = {
    "demo": ("ladderboard.cli.demo:demo", "A running board with honest teams and one attacker, on SQLite."),
    "sota": ("ladderboard.cli.sota:sota", "How much of a best score is luck."),
    "ranks": ("ladderboard.cli.ranks:ranks", "The ranks that the systems of a finished board may truly have."),
    "winner": ("ladderboard.cli.winner:winner", "The winner's score, corrected for having been chosen as the best."),
    "audit-records": ("ladderboard.cli.audit_records:audit_records", "Which records of a board are real."),
    "replay": ("ladderboard.cli.replay:replay", "The boards that other mechanisms would have shown."),
    "plan": ("ladderboard.cli.plan:plan", "How many submissions a test set bears, before a competition opens."),
    "holdout": ("ladderboard.cli.holdout:holdout", "A personal holdout guard on files: init, score, status."),
    "new": ("ladderboard.cli.new:new", "Make a competition folder from a solution file, or an example that runs."),
    "check": ("ladderboard.cli.check:check", "Everything that is wrong with a competition folder, by file and line."),
    "serve": ("ladderboard.cli.serve:serve", "Serve competitions from their folders: pages, API, board."),
    "sign-up": ("ladderboard.cli.sign_in:sign_up", "Make an account on a server and sign in to it."),
    "sign-in": ("ladderboard.cli.sign_in:sign_in", "Sign in to a server; the token is kept for the next commands."),
    "sign-out": ("ladderboard.cli.sign_in:sign_out", "Forget that token, and make it worthless."),
    "team": ("ladderboard.cli.team:team", "Make, join, show or leave a team."),
    "submit": ("ladderboard.cli.submit:submit", "Send predictions to a competition, or only check the file."),
    "standings": ("ladderboard.cli.standings:standings", "The board of a competition, public or private."),
    "my-submissions": ("ladderboard.cli.my_submissions:my_submissions", "What your team has sent, and was told."),
    "select-final": ("ladderboard.cli.select_final:select_final", "Pick the submissions that count in the end."),
    "users": ("ladderboard.cli.users:users", "People: make accounts, help to a new password, say who may sign up."),
    "freeze": ("ladderboard.cli.organise:freeze", "Close a competition now."),
    "finalize": ("ladderboard.cli.finalize:finalize", "Compute the private board of a closed competition."),
    "reveal": ("ladderboard.cli.organise:reveal", "Show the private board to everybody."),
    "rescore": (
        "ladderboard.cli.finalize:rescore",
        "Score all anew with a corrected solution; a preview first.",
    ),
    "flags": ("ladderboard.cli.flags:flags", "What an organiser should look at: near-duplicates, probing, copies."),
    "quota": ("ladderboard.cli.organise:quota", "Give a team more attempts."),
    "baseline": ("ladderboard.cli.organise:baseline", "Put a baseline on the board."),
    "webhooks": ("ladderboard.cli.webhooks:webhooks", "Who is told what happens on a board."),
    "export": ("ladderboard.cli.export:export", "Everything of a competition as CSV or JSON files."),
    "ledger": ("ladderboard.cli.ledger:ledger", "Check a competition's audit log, and make every release again."),
    "backup": ("ladderboard.cli.backup:backup", "A server's data and files in one file, while it runs."),
    "restore": ("ladderboard.cli.backup:restore", "A server's data made again from a backup."),
    "drill": ("ladderboard.cli.drill:drill", "Attack a copy of a competition over HTTP, and say what leaked."),
    "lab": (
        "ladderboard.cli.lab:lab",
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
