"""The rules of a competition: competition.toml read, written, compared and stored."""
