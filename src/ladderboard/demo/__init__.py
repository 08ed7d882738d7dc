"""The demo: a competition with honest teams and one attacker."""
