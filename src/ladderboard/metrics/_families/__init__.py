"""Base classes of metrics that are computed alike: from class counts, as correlations, from forecasts, from pairs."""
