"""What operators need: metrics, exports and the health of the holdout."""
