"""description.md: its Markdown with formulas and folded parts, and the pictures of the folder."""
