"""What honest people get of each mechanism: scikit-learn models of one analyst, or of as many teams."""
