"""Commands for organisers: make, check, serve and end a competition."""
