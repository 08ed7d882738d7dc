"""Pages of the organiser: the dashboard, and the steps in a competition's life."""
