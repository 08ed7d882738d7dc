"""Ranks and guards inside the run of an evaluation harness: adapters that its own program calls."""
