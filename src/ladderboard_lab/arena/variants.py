"""The mechanisms an arena compares: every one, with the parameters under which papers and platforms run it."""

import ladderboard as lb

BOOTSTRAPS = 200
"""B of the Bayesian bootstrap in the arena, for the sake of time; the papers take 1000."""

REFERENCE = "full_disclosure"
"""The variant whose honest error is 1 in every ratio."""


def variants(*, n: int, k: int) -> dict[str, "lb.Mechanism"]:
    """Name → mechanism, for a board of n items that allows k submissions.

    >>> variants(n=400, k=1000)["full_disclosure_coarse"]
    FullDisclosure(precision=0.05)
    """
    return {
        "full_disclosure": lb.FullDisclosure(precision=1e-5),
        "full_disclosure_coarse": lb.FullDisclosure(precision=n**-0.5),
        "ladder": lb.Ladder(submissions=k),
        "ladder_.02": lb.Ladder(step_size=0.02),
        "parameter_free": lb.ParameterFreeLadder(),
        "significance_.01": lb.SignificanceLadder(alpha=0.01),
        "significance_.15": lb.SignificanceLadder(alpha=0.15),
        "significance_.5": lb.SignificanceLadder(alpha=0.5),
        "ladder_boot_10": lb.LadderBoot(replicates=10),
        "ladder_boot_100": lb.LadderBoot(replicates=100),
        "ladder_boot_10_redraw": lb.LadderBoot(replicates=10, redraw=True),
        "bayes_boot_99": lb.BayesBootLadder(odds=99, replicates=BOOTSTRAPS),
        "bayes_boot_5.67": lb.BayesBootLadder(odds=5.67, replicates=BOOTSTRAPS),
        "bayes_boot_boot_10": lb.BayesBootLadderBoot(replicates=BOOTSTRAPS, release_replicates=10),
        "shaky": lb.ShakyLadder(submissions=max(k, 2)),
        "thresholdout": lb.Thresholdout(),
        "spending": lb.SpendingLadder(),
        "witness": lb.WitnessLadder(),
    }


VARIANTS = tuple(variants(n=1000, k=1000))
"""The names."""
