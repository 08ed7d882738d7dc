"""The drill: the laboratory's attacks against a running server over HTTP."""
