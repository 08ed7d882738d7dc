"""competition.toml: read, written, compared and stored."""
