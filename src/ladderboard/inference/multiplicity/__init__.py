"""The best score of many systems: how much of it is luck."""
