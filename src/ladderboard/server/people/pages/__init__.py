"""Pages of people: signing in and up, and the account."""
