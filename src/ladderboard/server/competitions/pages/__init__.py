"""Pages of competitions: what everybody reads, and what organisers prepare and change."""
