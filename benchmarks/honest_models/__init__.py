"""What honest people get of each mechanism: thirty scikit-learn models, one analyst or thirty teams."""
