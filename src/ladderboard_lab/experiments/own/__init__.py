"""Questions of our own, beside the papers."""
