"""The arena: every mechanism against every attack and on honest streams."""
