"""The organiser's dashboard and its pages."""
