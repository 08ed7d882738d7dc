"""A scikit-learn search that climbs open rows; what it finds is certified by guarded ones.

The search scores every candidate by the loop, which runs it on the rows that nobody trains on.

    python examples/loop_sklearn.py
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import RandomizedSearchCV
from sklearn.tree import DecisionTreeClassifier

import ladderboard as lb

GRID = {
    "max_depth": [3, 5, 6, 8, 12, None],
    "min_samples_leaf": [1, 2, 5, 10, 20],
    "max_features": [8, 16, 32, None],
    "criterion": ["gini", "entropy"],
}


def main() -> None:
    """Search for parameters, and say what is certified."""
    X, y = load_digits(return_X_y=True)  # noqa: N806 (scikit-learn's name)
    rows = np.random.default_rng(1).permutation(len(y))
    training, judged = rows[:600], rows[600:]
    tasks = [{"id": int(row), "answer": int(y[row])} for row in judged]
    model = DecisionTreeClassifier(random_state=0)

    with lb.Loop(tasks, lambda item, output: output == item["answer"], path=":memory:", seed=0) as loop:

        def score(fitted: DecisionTreeClassifier, *_: object) -> float:
            return loop.propose(dict(zip(judged.tolist(), fitted.predict(X[judged]).tolist(), strict=True))).open_score

        score(DecisionTreeClassifier(max_depth=5, random_state=0).fit(X[training], y[training]))  # what is in use
        # One fold: train on these rows. The rows that the fold would score are not looked at: the loop has its own.
        search = RandomizedSearchCV(
            model, GRID, n_iter=100, scoring=score, cv=[(training, judged[:1])], refit=False, random_state=0
        )
        search.fit(X, y)
        print(f"{len(loop.history())} candidates; best open score {search.best_score_:.4f} with {search.best_params_}")
        print(f"certified: {loop.best}")
        print(loop.report().summarise())


if __name__ == "__main__":
    main()
