"""People: accounts, sign-in, roles, tokens, rate limits."""
