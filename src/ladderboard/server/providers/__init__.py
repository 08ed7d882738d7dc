"""Sign-in with identity providers by OpenID Connect."""
