"""Rankings from pairwise battles: Bradley–Terry strengths, their rank ranges, and a check of the model."""
