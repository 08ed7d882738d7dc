"""The records, scales, errors and bounds that every other package builds on."""
