"""Commands for organisers: create, check, serve and finish a competition."""
