"""The public board: standings, plausible ranks, baselines, a team's own submissions."""
