"""The guard of a holdout over HTTP."""
