"""The public ledger: views, checks and replays."""
