"""SQL of moderation."""
