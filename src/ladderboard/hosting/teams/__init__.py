"""Teams: members, invitations, merging and extra attempts."""
