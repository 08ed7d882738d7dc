"""The public ledger: views of it, independent checks, and replays of every release."""
