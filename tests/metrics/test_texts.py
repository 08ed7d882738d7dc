"""Metrics of texts: the values that sacrebleu, jiwer and rouge-score give, and several references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.metrics._kernels.sequences import count_common, edit_distance
from ladderboard.metrics.base import Metric
from ladderboard.metrics.text_answers import ExactMatch, RougeL, TokenF1
from ladderboard.metrics.transcripts import CharacterErrorRate, WordErrorRate
from ladderboard.metrics.translations import Bleu, ChrF
from tests.contracts.metric_cases import fill_table

ANSWERS = [
    "The cat sat on the mat.",
    "It costs 1,000.50 dollars (or so).",
    "well-known facts, don't they?",
    "",
    "in 3-4 days & nights",
    "the the the the the",
    'he said "yes" to it / to us',
    "one two three four five six seven",
]
REFERENCES = [
    ["The cat is sitting on the mat.", "A cat sat on the mat."],
    ["It costs about 1,000.50 dollars.", ""],
    ["Well-known facts, aren't they?", "they are well known facts"],
    ["nothing was said here today", ""],
    ["in 3-4 days &amp; nights we go", ""],
    ["the quick brown fox", "a fox and the dog"],
    ['he said "no" to it / to us', ""],
    ["one two three four five six seven", "one two"],
]
FIRST = [label[0] for label in REFERENCES]


@pytest.mark.parametrize(
    ("metric", "references", "expected"),
    [
        # sacrebleu.corpus_bleu(answers, references).score, version 2.6.0
        (Bleu(), REFERENCES, 54.85120038899135),
        (Bleu(), FIRST, 50.10324616459946),
        # sacrebleu.corpus_chrf(answers, references).score
        (ChrF(), REFERENCES, 62.66158230153977),
        (ChrF(), FIRST, 57.77968407730071),
        # jiwer.wer(references, answers) and jiwer.cer, version 4.0.0
        (WordErrorRate(), FIRST, 0.44680851063829785),
        (CharacterErrorRate(), FIRST, 0.3524229074889868),
        # the mean of rouge_scorer.RougeScorer(["rougeL"]).score(reference, answer), version 0.1.2
        (RougeL(), REFERENCES, 0.6644078144078144),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_scores_are_those_of_the_usual_libraries(metric: Metric, references: object, expected: float) -> None:
    assert metric.score(references, ANSWERS) == pytest.approx(expected, abs=1e-12)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(st.text("abc", max_size=40), st.text("abc", max_size=40))
def test_sequences_are_compared_as_by_the_table(a: str, b: str) -> None:
    assert edit_distance(a, b) == fill_table(a, b, are_errors=True)
    assert count_common(a, b) == fill_table(a, b, are_errors=False)


def test_of_several_references_the_best_one_counts() -> None:
    several = [["nothing alike", "the right answer", ""], ["yes", "", ""]]
    for agreement in (ExactMatch(), TokenF1(), RougeL()):
        assert agreement.score(several, ["the right answer", "yes"]) == 1
    for errors in (WordErrorRate(), CharacterErrorRate()):
        assert errors.score(several, ["the right answer", "yes"]) == 0


def test_an_empty_reference_is_no_answer_and_an_empty_second_one_is_none() -> None:
    labels = [["", ""], ["Paris", ""]]
    for metric in (ExactMatch(), TokenF1()):
        assert metric.contributions(labels, ["", ""]).tolist() == [1, 0]


def test_where_words_are_counted_the_first_reference_has_some() -> None:
    for metric in (WordErrorRate(), CharacterErrorRate(), Bleu(), ChrF()):
        with pytest.raises(LabelsError, match="row 1: label ' ' is empty; the first reference needs a word"):
            metric.score([["a", ""], [" ", "b"]], ["a", "b"])


def test_words_are_those_of_any_alphabet() -> None:
    """Which rouge-score drops."""
    assert RougeL().score(["добрый день", "naïve"], ["добрый вечер", "naïve"]) == 0.75


def test_without_a_shared_run_of_four_words_there_is_no_bleu() -> None:
    labels, answers = ["one two three four five", "six seven"], ["one two three", "six seven"]
    assert Bleu().score(labels, answers) == 0
    assert (Bleu().contributions(labels, answers) == 0).all()


def test_a_text_has_a_longest_length() -> None:
    with pytest.raises(
        PredictionsError, match=r"row 1: prediction .* has 10,001 characters; a text has at most 10,000"
    ):
        TokenF1().score(["a", "b"], ["a", "x" * 10_001])


def test_a_corpus_score_is_no_mean_of_items() -> None:
    """One error in two words and none in eight are one error in ten."""
    rate = WordErrorRate()
    labels, answers = ["a b", "a b c d e f g h"], ["a x", "a b c d e f g h"]
    assert rate.score(labels, answers) == pytest.approx(0.1)
    assert np.mean([rate.score([one] * 2, [other] * 2) for one, other in zip(labels, answers, strict=True)]) == 0.25
