"""How often the statements about scores and ranks are true: every metric, three situations, four kinds of data."""
