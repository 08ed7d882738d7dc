"""Results: finals, the private board, luck, publication, and rescoring with a corrected solution."""
