"""Pages of submissions: the form, and a team's own."""
