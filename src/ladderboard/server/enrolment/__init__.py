"""Who is what in a competition: its staff, the people invited to it, and the links that let them in."""
