"""The demo: a running competition with honest teams and one attacker, made in a minute and deleted as fast."""
