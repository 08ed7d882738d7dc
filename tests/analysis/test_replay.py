import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from ladderboard.analysis.replay import Submission, replay
from ladderboard.core.errors import InputError, LabelsError, PredictionsError
from ladderboard.mechanisms.shaky_ladder import ShakyLadder
from tests.shared_data import shared_data

N = 2000


def competition(seed: int = 0) -> tuple[list[Submission], npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """Four teams of different skill that improve a little, and one that only guesses."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N, dtype=np.int8)
    submissions = []
    for round_, gain in enumerate((0.0, 0.04, 0.06)):
        for team, error in {"a": 0.12, "b": 0.2, "c": 0.28, "d": 0.36}.items():
            submissions.append(Submission(team, (round_, team), y ^ (rng.random(N) < error - gain)))
        submissions.append(Submission("guess", (round_, "z"), rng.integers(0, 2, N, dtype=np.int8)))
    return submissions, y, rng.random(N) < 0.5


def test_full_disclosure_shows_each_teams_best_public_score() -> None:
    submissions, y, public = competition()
    board = replay(submissions, y, "error_rate", public=public).boards["full_disclosure"]
    for row in board.teams:
        own = [one.predictions for one in submissions if one.team == row.team]
        scores = [np.mean(p[public] != y[public]) for p in own]
        assert row.public_value == pytest.approx(min(scores), abs=1e-5)
        assert row.private_value == pytest.approx(np.mean((own[int(np.argmin(scores))] != y)[~public]))


def test_clearly_different_teams_keep_their_ranks_under_every_mechanism() -> None:
    submissions, y, public = competition()
    found = replay(submissions, y, "error_rate", public=public)
    for board in found.boards.values():
        assert [row.team for row in sorted(board.teams, key=lambda row: row.public_rank)][:4] == ["a", "b", "c", "d"]
        assert board.rank_correlation == pytest.approx(1.0)
    assert set(found.rank_changes("witness_ladder").values()) == {0}


def test_submissions_are_replayed_in_the_order_of_time() -> None:
    submissions, y, public = competition()
    shuffled = [submissions[i] for i in np.random.default_rng(1).permutation(len(submissions))]
    assert replay(shuffled, y, "error_rate", public=public) == replay(submissions, y, "error_rate", public=public)


def test_the_top_is_compared_on_the_private_items_alone() -> None:
    submissions, y, public = competition()
    top = replay(submissions, y, "error_rate", public=public).top
    finals = {team: [one.predictions for one in submissions if one.team == team] for team in "ab"}
    best = {team: min(own, key=lambda p: np.mean(p[public] != y[public])) for team, own in finals.items()}
    wrong = {team: (p != y)[~public] for team, p in best.items()}
    b, c = int((wrong["b"] & ~wrong["a"]).sum()), int((wrong["a"] & ~wrong["b"]).sum())
    assert top[0].team == "b"
    assert top[0].p_value == pytest.approx(stats.binomtest(b, b + c).pvalue)


def test_semeval_winner_stands_alone_on_the_replayed_private_part() -> None:
    import polars as pl

    folder = shared_data("semeval2018_arct")
    table, index = pl.read_csv(folder / "predictions.csv.gz"), pl.read_csv(folder / "submissions.csv")
    y = table["label"].to_numpy()
    submissions = [
        Submission(row["team"], row["order"], table[f"s{row['submission_id']}"].to_numpy())
        for row in index.iter_rows(named=True)
    ]
    found = replay(submissions, y, "accuracy", public=np.arange(len(y)) % 2 == 0)
    for board in found.boards.values():
        assert board.teams[0].team == "GIST"
        assert board.teams[0].private_rank == 1


def test_what_cannot_be_replayed_is_refused() -> None:
    submissions, y, public = competition()
    with pytest.raises(InputError, match="no submissions"):
        replay([], y, "error_rate", public=public)
    with pytest.raises(LabelsError, match="True or False for each item"):
        replay(submissions, y, "error_rate", public=public[:-1])
    with pytest.raises(LabelsError, match="two items each"):
        replay(submissions, y, "error_rate", public=np.zeros(N, dtype=bool))


def test_a_class_that_the_private_part_lacks_does_not_shift_the_others() -> None:
    y = np.array(["a", "b", "c"] * 20)
    public = (y == "a") | (np.arange(60) % 2 == 0)
    board = replay([Submission("us", 1, y)], y, "error_rate", public=public).boards["full_disclosure"]
    assert board.teams[0].private_value == 0.0
    with pytest.raises(LabelsError, match="no public item is of class 'a'"):
        replay([Submission("us", 1, y)], y, "error_rate", public=y != "a")


def test_a_team_whose_budget_is_spent_keeps_what_its_board_showed_last() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, N, dtype=np.int8)
    submissions = [Submission("us", t, y ^ (rng.random(N) < 0.2)) for t in range(60)]
    # Two updates, and so much noise that both come soon.
    shaky = ShakyLadder(step_size=0.5, noise=0.3)
    found = replay(submissions, y, "error_rate", public=rng.random(N) < 0.5, mechanisms=[shaky])
    (row,) = found.boards["shaky_ladder"].teams
    assert row.accepted == 2
    assert row.submissions < 60


def test_progress_counts_every_submission_of_every_mechanism() -> None:
    submissions, y, public = competition()
    told: list[tuple[int, int]] = []
    mechanisms = ["full_disclosure", "ladder"]
    replay(submissions, y, "error_rate", public=public, mechanisms=mechanisms, progress=lambda *pair: told.append(pair))
    total = 2 * len(submissions)
    assert told == [(done, total) for done in range(1, total + 1)]


def test_predictions_that_cannot_be_read_name_their_submission() -> None:
    _, y, public = competition()
    with pytest.raises(PredictionsError, match="submission of us at 3: 3 predictions for 2000 items"):
        replay([Submission("us", 3, [0, 1, 0])], y, "error_rate", public=public)
