"""Operations: the organiser's dashboard, health of the holdout, metrics, exports, backups."""
