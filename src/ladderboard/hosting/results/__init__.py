"""The end of a competition: finals, the private board, luck and publication."""
