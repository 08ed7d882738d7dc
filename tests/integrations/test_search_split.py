"""scikit-learn searches over a guarded holdout: the safe way works, the others are refused in one sentence."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score

import ladderboard as lb
from ladderboard.integrations.search_split import SearchRefusedError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(900, 3))
Y = (X[:, 0] + RNG.normal(size=900) > 0).astype(int)
X_TRAIN, Y_TRAIN, X_HOLDOUT, Y_HOLDOUT = X[:400], Y[:400], X[400:], Y[400:]
GRID = {"C": [1e-4, 1.0, 10.0]}


@pytest.fixture
def holdout() -> lb.Holdout:
    return lb.Holdout(Y_HOLDOUT, metric="auc", path=":memory:", seed=1)


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, csr_matrix])
def test_a_search_with_the_settings_scores_each_candidate_once(holdout: lb.Holdout, kind: type) -> None:
    split = holdout.search_split(kind(X_TRAIN), Y_TRAIN, kind(X_HOLDOUT))
    found = GridSearchCV(LogisticRegression(), GRID, **split.settings).fit(split.X, split.y)
    assert holdout.attempts == 3
    assert found.best_score_ == holdout.best
    model = LogisticRegression(**found.best_params_).fit(split.X_train, split.y_train)
    assert holdout.score(model.decision_function(kind(X_HOLDOUT))).is_repeat


def test_the_labels_of_the_holdout_are_not_in_the_data(holdout: lb.Holdout) -> None:
    split = holdout.search_split(X_TRAIN, Y_TRAIN, X_HOLDOUT)
    assert set(split.y[400:]) == {Y_TRAIN[0]}


def test_refit_on_the_rows_of_the_holdout_is_refused_before_anything_is_scored(holdout: lb.Holdout) -> None:
    split = holdout.search_split(X_TRAIN, Y_TRAIN, X_HOLDOUT)
    with pytest.raises(lb.InputError, match="pass refit=False"):
        GridSearchCV(LogisticRegression(), GRID, **{**split.settings, "refit": True}).fit(split.X, split.y)
    only = PredefinedSplit([-1] * 400 + [0] * 500)
    search = GridSearchCV(LogisticRegression(), GRID, scoring=holdout.as_scorer(), cv=only)
    with pytest.raises(SearchRefusedError, match="pass refit=False"):  # and no warning: those are errors here
        search.fit(X, Y)
    assert holdout.attempts == 0


def test_folds_are_refused_in_one_sentence_whatever_error_score_says(holdout: lb.Holdout) -> None:
    said = "X has 180 rows, the holdout 500 items; .*use holdout.search_split"
    for error_score, error in ((np.nan, SearchRefusedError), ("raise", lb.InputError)):
        search = GridSearchCV(
            LogisticRegression(), GRID, scoring=holdout.as_scorer(), cv=5, refit=False, error_score=error_score
        )
        with pytest.raises(error, match=said):
            search.fit(X, Y)
    with pytest.raises(SearchRefusedError, match=said):
        cross_val_score(LogisticRegression(), X, Y, scoring=holdout.as_scorer(), cv=5)
    assert holdout.attempts == 0


def test_tables_that_do_not_match_are_refused(holdout: lb.Holdout) -> None:
    with pytest.raises(lb.InputError, match="X has 400 rows and y 399 labels"):
        holdout.search_split(X_TRAIN, Y_TRAIN[1:], X_HOLDOUT)
    with pytest.raises(lb.InputError, match="X_holdout has 499 rows, the holdout 500 items"):
        holdout.search_split(X_TRAIN, Y_TRAIN, X_HOLDOUT[1:])
