"""Pages of people in a competition: the staff's list, and the door behind an invitation."""
