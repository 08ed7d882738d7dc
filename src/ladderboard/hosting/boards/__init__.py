"""The public board: standings, plausible ranks and a team's own submissions."""
