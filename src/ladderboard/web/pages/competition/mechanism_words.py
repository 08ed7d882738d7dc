"""Each mechanism in words for participants: what happens, what is guaranteed, what is not.

Every string of this file is a message for translators.
"""

from dataclasses import dataclass

from ladderboard.core.words import translatable
from ladderboard.web.text import _


@dataclass(frozen=True)
class MechanismWords:
    """What the page of one mechanism says. ``reading`` also stands beside the result of a submission."""

    title: str
    lead: str
    steps: tuple[str, ...]
    guarantee: tuple[str, ...]
    limits: tuple[str, ...]
    reading: tuple[str, ...]
    source: str


_KEEPS_NUMBER = (
    "If it is not accepted, your number stays. You are told nothing new, and so is everybody who tries to learn the "
    "labels from answers."
)
_ONE_PER_TEAM = (
    "Guarantees are about one team. Whoever uses several accounts collects several answers; this is against the rules "
    "and the organisers are shown submissions that are nearly alike."
)
_UNPROVEN = (
    "Nothing is proven about this mechanism. It is offered because it was published and studied, and so that it can be "
    "compared with others."
)
_BLUM_HARDT = "Blum and Hardt 2015, The Ladder: A Reliable Leaderboard for Machine Learning Competitions"
_NETO = "Chaibub Neto and others 2016, Reducing overfitting in challenge-based competitions"

WORDS: dict[str, MechanismWords] = {
    "witness_ladder": MechanismWords(
        title="Witness Ladder",
        lead="A secret half of the test set decides whether you have improved. The other half, which played no part in "
        "that decision, bears witness to how much.",
        steps=(
            "The test set is split once, in secret and alike for all teams, into a gate and a witness.",
            "Your first entry has to beat a simple public baseline on the gate, in a paired test that becomes stricter "
            "with every try.",
            "After that, an entry has to beat your best one on the gate by a clear step, which grows slowly with every "
            "entry that was accepted.",
            "Only if it does is the witness asked. Your new number is the worse of two: your score on all rows, "
            "and your "
            "score on the witness with an allowance of one standard error. It is rounded to steps of half a standard "
            "error.",
            _KEEPS_NUMBER,
        ),
        guarantee=(
            "Entries that are not accepted give away nothing at all about the witness, however many there are. "
            "Only the "
            "numbers of accepted entries do, and how many of those there can be is limited, because every step has a "
            "least length.",
            "A released number is never better than the score on the witness by more than one standard error "
            "and half a "
            "step of the rounding.",
        ),
        limits=(
            "A first entry that is only a little better than the baseline may be missed.",
            "Somebody who knows many of the labels can spend accepted entries as readings of the others. The gain is "
            "small, and it is measured in our laboratory.",
            _ONE_PER_TEAM,
        ),
        reading=(
            "The number is a cautious one: the worse of your score on all rows and an independent check of it, rounded "
            "to what the test set can tell apart. Your raw score is shown to nobody.",
            "“Improved” is said only if the gain would also be significant after correcting for all your attempts.",
        ),
        source="Ladderboard's own, and its default.",
    ),
    "spending_ladder": MechanismWords(
        title="Spending Ladder",
        lead="All attempts of a team share one budget of false alarms. Each spends a part of it, so that trying often "
        "does not make luck more likely.",
        steps=(
            "Your entry is compared with your best one, row by row, in a paired test.",
            "The test becomes stricter with every attempt: at attempt 20 it asks for a level twenty times smaller.",
            "The gain must also be at least one standard error, and a little more after each accepted entry.",
            "If both hold, your score is released, rounded to steps of half a standard error.",
            _KEEPS_NUMBER,
        ),
        guarantee=(
            "Until your first entry is accepted: of k attempts that are no better, on average at most α·(1 + 1/2 + … + "
            "1/k) are accepted by luck. With the usual α of 5 % that is one in four for a hundred attempts.",
            "After that a bound on the information in all answers holds, which the leakage meter shows.",
        ),
        limits=(
            "Small honest improvements are seen later than with the Witness Ladder.",
            "Somebody who knows many of the labels can hide guesses behind known repairs.",
            _ONE_PER_TEAM,
        ),
        reading=(
            "The number is your score rounded to what the test set can tell apart, and it moves only after a test that "
            "is corrected for all your attempts.",
        ),
        source="Ladderboard's own.",
    ),
    "ladder": MechanismWords(
        title="Ladder",
        lead="A new number is told only if it beats your last one by a fixed step.",
        steps=(
            "Your score is compared with the number that the board shows for your team.",
            "If it is better by more than the step, it is rounded to a multiple of the step and becomes your number.",
            _KEEPS_NUMBER,
        ),
        guarantee=(
            "For k submissions and n rows, your number is close to the best true score of your submissions, with an "
            "error of about the cube root of log(kn)/n, whatever you do with the answers (theorem 3.1 of the paper).",
        ),
        limits=(
            "One step fits all: on a small test set it is coarse and hides real progress.",
            "Rounding may make a number better than the score, by half a step.",
            _ONE_PER_TEAM,
        ),
        reading=(
            "The number is your score rounded to the step of this board; improvements below one step do not show.",
        ),
        source=translatable("{paper}, algorithm 1.", paper=_BLUM_HARDT),
    ),
    "parameter_free_ladder": MechanismWords(
        title="Parameter-free Ladder",
        lead="A ladder whose step adapts to how different two submissions are.",
        steps=(
            "Your entry is compared with your best one, row by row.",
            "If it is better by more than one standard error of that difference, its score becomes your number.",
            _KEEPS_NUMBER,
        ),
        guarantee=(_UNPROVEN,),
        limits=(
            "It can be climbed by luck: changing two predictions at a time makes the step tiny, and every fourth such "
            "change passes. Boards with prizes should use another mechanism.",
        ),
        reading=("The number is your score, told only after a gain of one standard error over your best entry.",),
        source=translatable("{paper}, algorithm 2.", paper=_BLUM_HARDT),
    ),
    "significance_ladder": MechanismWords(
        title="Significance Ladder",
        lead="A one-sided paired t-test decides whether an entry is better.",
        steps=(
            "Your entry is compared with your best one, row by row.",
            "If the gain is significant at the level of this board, its score becomes your number.",
            _KEEPS_NUMBER,
        ),
        guarantee=(_UNPROVEN,),
        limits=("The level is that of a single comparison: of many entries that are no better, some pass by luck.",),
        reading=("The number is your score, told only after a significant gain over your best entry.",),
        source=translatable("{paper}, algorithm 3.", paper=_NETO),
    ),
    "ladder_boot": MechanismWords(
        title="LadderBoot",
        lead="The gate is exact, the number is not: it is computed from resampled rows.",
        steps=(
            "Your entry is compared with your best one in a paired test.",
            "If it passes, your number becomes the average score over some random resamples of the rows. The fewer "
            "resamples, the more noise.",
            "If it does not, your number stays; it is not drawn again.",
        ),
        guarantee=(_UNPROVEN,),
        limits=("The number carries noise, so that it may be a little better or worse than the score it stands for.",),
        reading=(
            "The number is your score with some noise, drawn once when the entry was accepted. Asking again does not "
            "draw it again.",
        ),
        source=translatable("{paper}, algorithm 4.", paper=_NETO),
    ),
    "bayes_boot_ladder": MechanismWords(
        title="Bayesian-bootstrap Ladder",
        lead="An entry is accepted if it is better under most of a thousand random weightings of the rows.",
        steps=(
            "The rows are weighted at random a thousand times, alike for your entry and your best one.",
            "If your entry wins often enough, its score becomes your number.",
            _KEEPS_NUMBER,
        ),
        guarantee=(_UNPROVEN,),
        limits=(
            "An entry that mends predictions and breaks none wins under every weighting, even by a single row.",
            "Nothing is corrected for the number of attempts.",
        ),
        reading=("The number is your score, told only if your entry won under most weightings of the rows.",),
        source=translatable("{paper}, algorithm 5.", paper=_NETO),
    ),
    "bayes_boot_ladder_boot": MechanismWords(
        title="Bayesian-bootstrap Ladder with a resampled release",
        lead="The gate of the Bayesian-bootstrap Ladder, and a number that carries noise on purpose.",
        steps=(
            "The rows are weighted at random a thousand times; your entry has to win often enough against your "
            "best one.",
            "If it does, your number becomes the average over some further weightings.",
            "If it does not, your number stays; it is not drawn again.",
        ),
        guarantee=(_UNPROVEN,),
        limits=(
            "The number carries noise, so that it may be a little better or worse than the score it stands for.",
            "Nothing is corrected for the number of attempts.",
        ),
        reading=(
            "The number is your score with some noise, drawn once when the entry was accepted. Asking again does not "
            "draw it again.",
        ),
        source=translatable("{paper}, algorithm 6.", paper=_NETO),
    ),
    "shaky_ladder": MechanismWords(
        title="Shaky Ladder",
        lead="Noise on every comparison and on every number, and a fixed number of updates.",
        steps=(
            "Noise is added to the comparison of your entry with your number, so that nobody can read it exactly.",
            "If the noisy gain is more than a step, your number becomes your score with fresh noise.",
            "If not, your number stays.",
            "After as many updates as there are steps between the worst and the best score, the board tells you "
            "no more.",
        ),
        guarantee=(
            "With n rows the error of the board is of the order n to the power −2/5, better than the Ladder's, for "
            "means of bounded losses.",
        ),
        limits=(
            "Gains smaller than the step do not show, and a number may be better or worse than the score behind it.",
            "The updates can be used up.",
        ),
        reading=("The number is your score with some noise, drawn once when the entry was accepted.",),
        source="Hardt 2017, Climbing a shaky ladder: Better adaptive risk estimation.",
    ),
    "thresholdout": MechanismWords(
        title="Thresholdout",
        lead="You state your score on the training data. The test set confirms it, and speaks for itself only "
        "where the "
        "two disagree.",
        steps=(
            "With every entry you state the score on your training data.",
            "If the test set agrees, up to a noisy threshold, that number is confirmed and nothing is spent.",
            "If it does not, you are told the score on the test set, with noise, and the budget of such answers "
            "shrinks "
            "by one.",
            "The board shows your best answer so far.",
        ),
        guarantee=(
            "For means of losses between 0 and 1: confirmations cost nothing, however many; each correction costs a "
            "fixed amount of privacy, and the budget limits how far answers can drift from the truth.",
        ),
        limits=(
            "The training score is taken on trust, so that it is not for boards with prizes.",
            "When the budget is used up, nothing more is answered.",
        ),
        reading=(
            "The number is either the training score that you stated, confirmed, or the score on the test set with "
            "noise.",
        ),
        source="Dwork and others 2015, The reusable holdout: Preserving validity in adaptive data analysis.",
    ),
    "full_disclosure": MechanismWords(
        title="Full disclosure",
        lead="Every submission is told its score, rounded. This is what most platforms do.",
        steps=(
            "Your score is computed and rounded.",
            "You are told that number, and the board shows your best one.",
        ),
        guarantee=("Only for submissions that were fixed in advance: then all scores are close to the truth at once.",),
        limits=(
            "Whoever looks at the answers can climb this board without any skill: submit guesses, keep the lucky ones, "
            "take their majority. It is offered for comparison and for boards that are read once.",
        ),
        reading=("The number is your score on the public rows, rounded. No test stands behind it.",),
        source=translatable("{paper}, sections 1 and 5.", paper=_BLUM_HARDT),
    ),
}


def words_of(mechanism: str) -> MechanismWords | None:
    """The words for the mechanism of that name; None where there is no such mechanism."""
    return WORDS.get(mechanism)


def title_of(mechanism: str) -> str:
    """A mechanism's name for people; its own name where we have no words for it."""
    words = WORDS.get(mechanism)
    return mechanism if words is None else _(words.title)
