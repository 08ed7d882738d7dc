"""The `ladderboard` command: a table of subcommands, each imported only when it is called."""

import click

from ladderboard.cli._shared.lazy_group import LazyGroup

SECTIONS = {
    "Host a competition": {
        "demo": ("ladderboard.cli.host.demo:demo", "Start a demo board with honest teams and one attacker."),
        "new": ("ladderboard.cli.host.new:new", "Create a competition folder from a solution file."),
        "check": ("ladderboard.cli.host.check:check", "List every problem of a competition folder."),
        "plan": ("ladderboard.cli.analyse.plan:plan", "Plan how many submissions a test set can bear."),
        "serve": ("ladderboard.cli.host.serve:serve", "Serve competitions: pages, API and leaderboard."),
        "users": ("ladderboard.cli.host.users:users", "Add people, reset passwords, control sign-up."),
        "people": ("ladderboard.cli.host.people:people", "Manage a competition's staff, and invite people to it."),
        "announce": ("ladderboard.cli.host.announce:announce", "Post an announcement on a competition's page."),
        "baseline": ("ladderboard.cli.host.organise:baseline", "Add a baseline to the leaderboard."),
        "webhooks": ("ladderboard.cli.host.webhooks:webhooks", "Manage who is notified when something happens."),
        "quota": ("ladderboard.cli.host.organise:quota", "Show or change a team's extra attempts."),
        "flags": ("ladderboard.cli.host.flags:flags", "List near-duplicates, probing and copies to review."),
        "rescore": ("ladderboard.cli.host.finalize:rescore", "Rescore with a corrected solution; preview first."),
        "freeze": ("ladderboard.cli.host.organise:freeze", "Close a competition now."),
        "finalize": ("ladderboard.cli.host.finalize:finalize", "Compute the private board of a closed competition."),
        "reveal": ("ladderboard.cli.host.organise:reveal", "Publish the private leaderboard."),
        "export": ("ladderboard.cli.host.export:export", "Export a competition as CSV or JSON files."),
        "grades": ("ladderboard.cli.host.grades:grades", "Write the gradebook, also for Moodle and Canvas."),
        "archive": ("ladderboard.cli.host.archive:archive", "Write a finished competition as a static site."),
        "ledger": ("ladderboard.cli.host.ledger:ledger", "Verify the audit log, or replay every score in it."),
        "drill": ("ladderboard.cli.host.drill:drill", "Attack a copy over HTTP and report what leaked."),
        "worker": ("ladderboard.cli.host.worker:worker", "Score queued submissions of a server on this machine."),
        "backup": ("ladderboard.cli.host.backup:backup", "Back up a running server into one file."),
        "restore": ("ladderboard.cli.host.backup:restore", "Restore a server's data from a backup."),
        "verify-files": ("ladderboard.cli.host.backup:verify_files", "Check that every submitted file is intact."),
    },
    "Take part": {
        "sign-up": ("ladderboard.cli.participate.sign_in:sign_up", "Create an account on a server and sign in."),
        "sign-in": ("ladderboard.cli.participate.sign_in:sign_in", "Sign in to a server and save the token."),
        "sign-out": ("ladderboard.cli.participate.sign_in:sign_out", "Revoke the saved token and delete it."),
        "team": ("ladderboard.cli.participate.team:team", "Create, join, show or leave a team."),
        "submit": ("ladderboard.cli.participate.submit:submit", "Submit predictions, or only check the file."),
        "standings": ("ladderboard.cli.participate.standings:standings", "Show a leaderboard, public or private."),
        "my-submissions": (
            "ladderboard.cli.participate.my_submissions:my_submissions",
            "List your team's submissions and their scores.",
        ),
        "select-final": (
            "ladderboard.cli.participate.select_final:select_final",
            "Choose the submissions that count in the end.",
        ),
    },
    "Guard a holdout": {
        "holdout": ("ladderboard.cli.guard.group:holdout", "Guard a holdout set of your own: init, score, status."),
    },
    "Improve a system": {
        "loop": ("ladderboard.cli.loop.loop:loop", "Referee a system that improves itself: init, propose, status."),
    },
    "Read results": {
        "ranks": ("ladderboard.cli.analyse.ranks:ranks", "Show which ranks each system could truly have."),
        "compare": ("ladderboard.cli.analyse.compare:compare_command", "Compare two systems on the same items."),
        "power": ("ladderboard.cli.analyse.power:power", "Plan how many items or repeats a comparison needs."),
        "passes": ("ladderboard.cli.analyse.passes:passes", "Show pass@k and pass^k of repeated runs."),
        "winner": ("ladderboard.cli.analyse.winner:winner", "Estimate the winner's true score without its luck."),
        "sota": ("ladderboard.cli.analyse.sota:sota", "Estimate how much of a best score is luck."),
        "audit-records": (
            "ladderboard.cli.analyse.audit_records:audit_records",
            "Check which claimed records on a board are real.",
        ),
        "report": ("ladderboard.cli.analyse.report:report", "Write one page to publish: ranks, what decides."),
        "publish": ("ladderboard.cli.analyse.publish:publish", "Write results for Every Eval Ever or the Hub."),
        "replay": ("ladderboard.cli.analyse.replay:replay", "Replay a finished board under other mechanisms."),
        "shake-up": ("ladderboard.cli.analyse.shake_up:shake_up", "Compare the public and private scores of a board."),
    },
    "Laboratory": {
        "lab": ("ladderboard.cli.lab.group:lab", "Attack mechanisms, compare them, reproduce papers."),
    },
}
"""For each kind of user: name → (module:object, one-line help). `--help` prints this and imports nothing else."""


@click.group(cls=LazyGroup, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]})
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
