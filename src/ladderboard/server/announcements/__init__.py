"""What the staff of a competition tells everybody: on its page, and as a feed."""
