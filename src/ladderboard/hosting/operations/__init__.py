"""Operations: metrics, exports, backups and the health of the holdout."""
