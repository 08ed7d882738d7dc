"""What an organiser should look at: near-duplicates, probing, several accounts of one person."""
